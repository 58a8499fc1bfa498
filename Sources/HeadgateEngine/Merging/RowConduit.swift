import HeadgateCore

/// A conduit that makes rows of the values of several upstreams.
///
/// The closure that makes a row determines the number of upstreams and what a row looks like.
@usableFromInline package class RowConduit<Row, Side: Upstream, Failure: Error>: JoiningConduit<Row, Failure> {
    @usableFromInline package typealias Output = Row

    // Confined to the drain's owner.
    /// How many sides have no value for the next row.
    @exclusivity(unchecked) @usableFromInline final var lacking: Int32 = 0

    @exclusivity(unchecked) @usableFromInline final var sides = ContiguousArray<Side>()

    /// Released with the rest, because it retains the sides.
    @exclusivity(unchecked) @usableFromInline final var maker: RowMaker<Row>?

    /// Whether all sides are attached and nothing has been released.
    @inlinable @inline(__always) final var canMakeRows: Bool {
        switch maker {
        case .some: true
        case .none: false
        }
    }

    /// Makes a row, unless everything has been released.
    @inlinable @inline(__always) final func makeRow() -> Row? {
        switch maker {
        case .some(let maker): maker.make()
        case .none: nil
        }
    }

    @usableFromInline package override func releaseUpstreams() {
        maker = nil
        for side in exchange(&sides, with: []) { side.cancel() }
    }
}

/// The closure that makes a row: it can't be copied out and is called in place, which retains nothing.
@usableFromInline struct RowMaker<Row>: ~Copyable {
    @usableFromInline let closure: () -> Row

    @inlinable init(_ closure: @escaping () -> Row) { self.closure = closure }

    @inlinable @inline(__always) func make() -> Row { closure() }
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
