import HeadgateCore

extension Publisher {
    /// Attaches a subscriber of two closures that asks for everything.
    @inlinable
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        receive(subscriber: sink)
        return AnyCancellable(sink.upstream)
    }
}

extension Publisher where Failure == Never {
    /// Attaches a subscriber of one closure that asks for everything.
    @inlinable
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

extension Subscribers {
    /// A subscriber of two closures that asks for everything.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        public let receiveValue: (Input) -> Void

        public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

        // An object of its own, so that whoever keeps the means to cancel does not keep the closures.
        @usableFromInline
        let upstream = SharedSlot()

        @inlinable
        public init(
            receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping (Input) -> Void
        ) {
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        @inlinable
        public func receive(subscription: any Subscription) {
            if upstream.slot.fill(with: subscription) { subscription.request(.unlimited) }
        }

        @inlinable
        public func receive(_ value: Input) -> Subscribers.Demand {
            if !upstream.slot.isClosed { receiveValue(value) }
            return .none
        }

        @inlinable
        public func receive(completion: Subscribers.Completion<Failure>) {
            if upstream.slot.close() { receiveCompletion(completion) }
        }

        @inlinable
        public func cancel() { upstream.cancel() }
    }
}
