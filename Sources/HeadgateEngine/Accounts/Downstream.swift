import HeadgateCore

/// The subscriber that a conduit serves, until it is released.
///
/// The closures can't be copied out and are called in place, so a delivery retains nothing. It must not be released
/// during a delivery: both are up to the owner of the conduit's drain.
@usableFromInline package struct Downstream<Input, Failure: Error>: ~Copyable {
    @usableFromInline package struct Closures: ~Copyable {
        @usableFromInline package let receiveValue: (Input) -> Subscribers.Demand

        @usableFromInline package let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

        @inlinable package init(_ subscriber: AnySubscriber<Input, Failure>) {
            receiveValue = subscriber.onValue
            receiveCompletion = subscriber.onCompletion
        }

        @inlinable @inline(__always) package func receive(_ value: Input) -> Subscribers.Demand { receiveValue(value) }
    }

    @usableFromInline package var place: UnsafeMutablePointer<Closures>?

    @inlinable package init(_ subscriber: AnySubscriber<Input, Failure>) {
        let place = UnsafeMutablePointer<Closures>.allocate(capacity: 1)
        place.initialize(to: Closures(subscriber))
        self.place = place
    }

    /// Creates one without a subscriber.
    @inlinable package init() { place = nil }

    /// Whether the subscriber has not been released.
    @inlinable package var isThere: Bool { place != nil }

    @inlinable deinit { Self.release(place) }

    @usableFromInline package static func release(_ place: UnsafeMutablePointer<Closures>?) {
        place?.deinitialize(count: 1)
        place?.deallocate()
    }

    /// Delivers a value, unless the subscriber has been released.
    @inlinable @inline(__always) package func receive(_ value: Input) -> Subscribers.Demand {
        guard let place else { return .none }
        return place.pointee.receive(value)
    }

    /// Releases the subscriber.
    ///
    /// - Returns: The closure that delivers the completion, unless the subscriber had been released.
    @inlinable package mutating func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        guard let place = place.take() else { return nil }
        let receiveCompletion = place.pointee.receiveCompletion
        Self.release(place)
        return receiveCompletion
    }
}
