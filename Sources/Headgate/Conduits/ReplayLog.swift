/// One value of a replay log, and the way to the next.
@usableFromInline
final class ReplayCell<Output> {
    // Both are written once and read by the owner of the hub's drain alone; hence unchecked.
    @exclusivity(unchecked)
    @usableFromInline
    var value: Output?

    @exclusivity(unchecked)
    @usableFromInline
    var next: ReplayCell?

    @inlinable
    init() {}

    // Lets a chain go one cell after the other, because a long one would overflow the stack.
    @usableFromInline
    deinit {
        var following = next.take()
        while isKnownUniquelyReferenced(&following) { following = following?.next.take() }
    }
}

/// The last values of a stream, at most as many as its capacity: a chain of cells that ends in an empty one.
///
/// A reader keeps the cell it has to read next. One that has fallen behind keeps what it has not read alive by that,
/// and loses nothing; nobody else pays for it.
@usableFromInline
struct ReplayLog<Output> {
    @usableFromInline
    let capacity: Int

    /// Where a new reader begins.
    @usableFromInline
    var oldest: ReplayCell<Output>

    /// Where the next value goes.
    @usableFromInline
    var end: ReplayCell<Output>

    @usableFromInline
    var count = 0

    /// How many values there have been: the position of the end.
    @usableFromInline
    var total = 0

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
        end = ReplayCell()
        oldest = end
    }

    @inlinable
    mutating func append(_ value: Output) {
        let following = ReplayCell<Output>()
        end.value = value
        end.next = following
        end = following
        total += 1
        if count < capacity {
            count += 1
        } else if let second = oldest.next {
            oldest = second
        }
    }
}
