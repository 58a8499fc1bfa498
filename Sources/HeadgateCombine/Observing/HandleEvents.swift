import HeadgateEngine

extension Publisher {
    /// Forwards everything, and calls a closure for each event.
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
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, and the closures are
    ///   called there beforehand: for the subscription, values and the completion one at a time, for requests and
    ///   `cancel()` possibly by other threads at the same time.
    /// - **Complexity**: one call of a closure per event.
    ///
    /// - Parameters:
    ///   - receiveSubscription: Called with upstream's subscription.
    ///   - receiveOutput: Called with each value.
    ///   - receiveCompletion: Called with the completion.
    ///   - receiveCancel: Called at the first `cancel()`, unless the stream has completed before.
    ///   - receiveRequest: Called with each request, and with the demand returned for a value unless it is none.
    @preconcurrency @inlinable public func handleEvents(
        receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
        receiveOutput: (@Sendable (Output) -> Void)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
        receiveCancel: (@Sendable () -> Void)? = nil,
        receiveRequest: (@Sendable (Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}

extension Publishers {
    /// A publisher that forwards everything and calls a closure for each event.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Called with the subscription.
        @preconcurrency public var receiveSubscription: (@Sendable (any Subscription) -> Void)?

        /// Called with each value.
        @preconcurrency public var receiveOutput: (@Sendable (Output) -> Void)?

        /// Called with the completion.
        @preconcurrency public var receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)?

        /// Called upon `cancel()`.
        @preconcurrency public var receiveCancel: (@Sendable () -> Void)?

        /// Called with each request.
        @preconcurrency public var receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?

        /// Creates the publisher that `handleEvents` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
            receiveOutput: (@Sendable (Output) -> Void)? = nil,
            receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (@Sendable () -> Void)? = nil, receiveRequest: (@Sendable (Subscribers.Demand) -> Void)?
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: conduit(to: subscriber))
        }

        // Not inlined: subscribing nests as deeply as the pipeline, and the closures take much stack.
        @inlinable @inline(never) func conduit(
            to subscriber: some Subscriber<Output, Failure>
        ) -> ObservingConduit<ClosureObserver<Output, Failure>> {
            var observer = ClosureObserver<Output, Failure>()
            observer.subscription = receiveSubscription
            observer.value = receiveOutput
            observer.completion = receiveCompletion
            observer.cancel = receiveCancel
            observer.request = receiveRequest
            observer.answer = receiveRequest
            return ObservingConduit(name: "HandleEvents", observer, subscriber)
        }
    }
}

extension Publishers.HandleEvents: Sendable where Upstream: Sendable {}
