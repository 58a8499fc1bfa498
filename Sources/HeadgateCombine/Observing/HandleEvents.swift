import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and calls a closure at each thing that happens.
    ///
    /// ```
    /// self           1---2---|
    /// handleEvents   1---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...2).publisher
    ///     .handleEvents(
    ///         receiveOutput: { print("value", $0) },
    ///         receiveCompletion: { print("end", $0) },
    ///         receiveRequest: { print("request", $0) })
    ///     .sink { _ in }
    /// // request unlimited
    /// // value 1
    /// // value 2
    /// // end finished
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of a closure for each thing that happens.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called with the subscription of upstream.
    ///   - receiveOutput: Called with each value.
    ///   - receiveCompletion: Called with the completion.
    ///   - receiveCancel: Called at the first `cancel()`, unless the stream has ended before.
    ///   - receiveRequest: Called with each request, and with demand that is the answer to a value, unless that is none.
    @inlinable public func handleEvents(
        receiveSubscription: StreamClosure<any Subscription, Void>? = nil,
        receiveOutput: StreamClosure<Output, Void>? = nil,
        receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>? = nil,
        receiveCancel: StreamClosure<Void>? = nil,
        receiveRequest: StreamClosure<Subscribers.Demand, Void>? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}

extension Publishers {
    /// A publisher that passes everything on and calls a closure at each thing that happens.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// What to do with the subscription.
        public var receiveSubscription: StreamClosure<any Subscription, Void>?

        /// What to do with each value.
        public var receiveOutput: StreamClosure<Output, Void>?

        /// What to do with the completion.
        public var receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>?

        /// What to do at `cancel()`.
        public var receiveCancel: StreamClosure<Void>?

        /// What to do with each request.
        public var receiveRequest: StreamClosure<Subscribers.Demand, Void>?

        /// Makes the publisher that `handleEvents` returns.
        @inlinable public init(
            upstream: Upstream, receiveSubscription: StreamClosure<any Subscription, Void>? = nil,
            receiveOutput: StreamClosure<Output, Void>? = nil,
            receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>? = nil,
            receiveCancel: StreamClosure<Void>? = nil, receiveRequest: StreamClosure<Subscribers.Demand, Void>?
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            var observer = StreamObserver<Output, Failure>()
            observer.subscription = receiveSubscription
            observer.value = receiveOutput
            observer.completion = receiveCompletion
            observer.cancel = receiveCancel
            observer.request = receiveRequest
            observer.answer = receiveRequest
            upstream.receive(subscriber: ObservingConduit(name: "HandleEvents", observer, subscriber))
        }
    }
}

extension Publishers.HandleEvents: StrictlySendable where Upstream: StrictlySendable {}
