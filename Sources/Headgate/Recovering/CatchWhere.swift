import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Goes on with another publisher when this one fails with one of certain failures.
    ///
    /// ```
    /// self      1---2---x
    /// catch     x       8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// enum Trouble: Error { case missing, denied }
    /// for trouble in [Trouble.missing, .denied] {
    ///     let cancellable = Fail<String, Trouble>(error: trouble)
    ///         .catch(where: { $0 == .missing }) { _ in Just("nothing").setFailureType(to: Trouble.self) }
    ///         .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    ///     cancellable.cancel()
    /// }
    /// // nothing
    /// // finished
    /// // failure(main.Trouble.denied)
    /// ```
    ///
    /// - **Demand**: passed on. What this publisher has not served is asked of the other one.
    /// - **Completion**: finishes when either finishes. Fails with a failure for which the closure answers false, or with the
    ///   failure of the other one.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameters:
    ///   - isCaught: Whether to go on after a failure.
    ///   - handler: Makes a publisher of the failure.
    @inlinable public func `catch`<P: Publisher>(
        where isCaught: @escaping StreamClosure<Failure, Bool>, _ handler: @escaping StreamClosure<Failure, P>
    ) -> Publishers.CatchWhere<Self, P> where P.Output == Output, P.Failure == Failure {
        Publishers.CatchWhere(upstream: self, isCaught: isCaught, handler: handler)
    }
}

extension Publishers {
    /// A publisher that goes on with another publisher when the first one fails with one of certain failures.
    public struct CatchWhere<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output, Upstream.Failure == NewPublisher.Failure {
        /// The values of both publishers.
        public typealias Output = Upstream.Output

        /// The errors of both publishers.
        public typealias Failure = Upstream.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// What decides on a failure.
        public let isCaught: StreamClosure<Failure, Bool>

        /// What makes a publisher of the failure.
        public let handler: StreamClosure<Failure, NewPublisher>

        /// Makes the publisher that `catch(where:_:)` returns.
        @inlinable public init(
            upstream: Upstream, isCaught: @escaping StreamClosure<Upstream.Failure, Bool>,
            handler: @escaping StreamClosure<Upstream.Failure, NewPublisher>
        ) {
            self.upstream = upstream
            self.isCaught = isCaught
            self.handler = handler
        }

        /// Connects a subscriber to the first publisher.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (upstream, isCaught, handler) = (upstream, isCaught, handler)
            let conduit = SuccessionConduit<Output, Failure>(name: "Catch", to: subscriber)
            conduit.proceed { conduit, turn in
                upstream.receive(
                    subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                        guard case .failure(let failure) = completion, isCaught(failure) else {
                            return conduit.end(completion)
                        }
                        conduit.proceed { conduit, turn in
                            handler(failure).receive(
                                subscriber: SuccessionSubscriber(conduit, turn: turn) { $0.end($1) })
                        }
                    })
            }
        }
    }
}

extension Publishers.CatchWhere: StrictlySendable where Upstream: StrictlySendable {}
