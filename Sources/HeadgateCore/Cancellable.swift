/// Something under way that can be stopped.
public protocol Cancellable {
    /// Stops it. May be called from any thread and more than once.
    func cancel()
}

extension Cancellable {
    /// Keeps this alive in a collection; it is cancelled when the collection lets go of it.
    @inlinable public func store<C: RangeReplaceableCollection>(in collection: inout C)
    where C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Keeps this alive in a set; it is cancelled when the set lets go of it.
    @inlinable public func store(in set: inout Set<AnyCancellable>) {
        AnyCancellable(self).store(in: &set)
    }
}
