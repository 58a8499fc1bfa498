import HeadgateCore

/// The upstreams whose values make rows.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like.
@usableFromInline struct Rows<Row, Side: Upstream>: ~Copyable {
    /// How many sides have no value for the next row.
    @usableFromInline var lacking: Int32 = 0

    @usableFromInline var sides = ContiguousArray<Side>()

    /// Makes a row, once all sides are attached. Released with the rest, because it retains the sides.
    // Called in place, which retains nothing, because what it is in can't be copied.
    @usableFromInline var maker: (() -> Row)?

    @inlinable init() {}

    @inlinable mutating func add(_ side: Side) {
        sides.append(side)
        lacking += 1
    }

    /// Whether all sides are attached and nothing has been released.
    @inlinable @inline(__always) var areComplete: Bool { maker != nil }

    /// Makes a row, unless everything has been released.
    @inlinable @inline(__always) func make() -> Row? { maker?() }

    @inlinable mutating func release() {
        maker = nil
        sides = []
    }
}

extension ContiguousArray where Element: AnyObject {
    /// Whether a predicate is true of each element, up to the first of which it isn't; retains the array only.
    @inlinable @inline(__always) func allSatisfyInPlace(_ predicate: (Element) -> Bool) -> Bool {
        for index in indices {
            let element = Unmanaged.passUnretained(self[index])
            if !element._withUnsafeGuaranteedRef(predicate) { return false }
        }
        return true
    }

    /// Calls a closure with each element; retains the array only.
    @inlinable @inline(__always) func forEachInPlace(_ body: (Element) -> Void) {
        for index in indices { Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body) }
    }
}
