/// An object in a `LinkedList`.
@usableFromInline package protocol Linked: AnyObject {
    var next: Self? { get set }

    /// The previous object, which the list retains while this one is in it.
    var previous: Self? { get set }
}

/// Objects in an order, each of which is removed in constant time.
@usableFromInline package struct LinkedList<Member: Linked>: ~Copyable {
    @usableFromInline package var first: Member?

    @usableFromInline package unowned(unsafe) var last: Member?

    @inlinable package init() {}

    /// Adds an object that isn't in the list.
    @inlinable package mutating func append(_ member: Member) {
        if let last {
            last.next = member
            member.previous = last
        } else {
            first = member
        }
        last = member
    }

    /// Removes an object, if it is in the list.
    @inlinable package mutating func remove(_ member: Member) {
        if member.previous == nil, first !== member { return }
        let next = member.next.take()
        next?.previous = member.previous
        if last === member { last = member.previous }
        if let previous = member.previous { previous.next = next } else { first = next }
        member.previous = nil
    }

    /// Removes all objects.
    // Link by link: releasing a chain at once would recurse as deep as it is long.
    @inlinable package mutating func removeAll() {
        var following = first.take()
        last = nil
        while let member = following {
            following = member.next.take()
            member.previous = nil
        }
    }
}
