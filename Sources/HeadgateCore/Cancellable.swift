/// An activity that can be cancelled.
@preconcurrency public protocol Cancellable: SendableMetatype {
    /// Cancels the activity. May be called from any thread and more than once.
    func cancel()
}

extension Cancellable {
    /// Stores this cancellable in a collection; it is cancelled when the collection releases it.
    @inlinable public func store<C: RangeReplaceableCollection>(in collection: inout C)
    where C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Stores this cancellable in a set; it is cancelled when the set releases it.
    @inlinable public func store(in set: inout Set<AnyCancellable>) {
        AnyCancellable(self).store(in: &set)
    }
}
