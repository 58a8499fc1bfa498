import HeadgateCore

/// The subscriber that a conduit serves, until it is let go of.
///
/// The closures can't be copied out and are called where they lie, so that a delivery counts no reference. Whoever uses
/// this sees to it that it is not let go of during a delivery: both belong to the owner of the conduit's drain.
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

    /// Makes one in which nobody is, yet.
    @inlinable package init() { place = nil }

    /// Whether the subscriber is still there.
    @inlinable package var isThere: Bool { place != nil }

    @inlinable deinit { Self.release(place) }

    @usableFromInline package static func release(_ place: UnsafeMutablePointer<Closures>?) {
        place?.deinitialize(count: 1)
        place?.deallocate()
    }

    /// Delivers a value, if the subscriber is still there.
    @inlinable @inline(__always) package func receive(_ value: Input) -> Subscribers.Demand {
        guard let place else { return .none }
        return place.pointee.receive(value)
    }

    /// Lets go of the subscriber.
    ///
    /// - Returns: How to tell it of the end, if it was still there.
    @inlinable package mutating func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        guard let place = place.take() else { return nil }
        let receiveCompletion = place.pointee.receiveCompletion
        Self.release(place)
        return receiveCompletion
    }
}
