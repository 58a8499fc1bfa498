import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Goes on with another publisher when this one fails.
    ///
    /// ```
    /// self      1---2---x
    /// catch             8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// let cancellable = [1, 2].publisher.tryMap { if $0 == 2 { throw Problem() } else { $0 } }
    ///     .catch { _ in [8, 9].publisher }
    ///     .sink { print($0) }
    /// // 1
    /// // 8
    /// // 9
    /// ```
    ///
    /// - **Demand**: passed on. What this publisher has not served is asked of the other one.
    /// - **Completion**: finishes when either finishes. Fails with the failure of the other one.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter handler: Makes a publisher of the failure.
    @inlinable public func `catch`<P: Publisher>(
        _ handler: @escaping StreamClosure<Failure, P>
    ) -> Publishers.Catch<Self, P> where Output == P.Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// Goes on with another publisher when this one fails, or fails with what the closure throws.
    ///
    /// ```
    /// self      1---2---x
    /// tryCatch          8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// enum Trouble: Error { case missing, denied }
    /// for trouble in [Trouble.missing, .denied] {
    ///     let cancellable = Fail<Int, Trouble>(error: trouble)
    ///         .tryCatch { error in
    ///             if error == .denied { throw error }
    ///             return [8, 9].publisher
    ///         }
    ///         .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    ///     cancellable.cancel()
    /// }
    /// // 8
    /// // 9
    /// // finished
    /// // failure(main.Trouble.denied)
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `catch(_:)`.
    ///
    /// - Parameter handler: Makes a publisher of the failure, or throws the error to fail with.
    @inlinable public func tryCatch<P: Publisher>(
        _ handler: @escaping ThrowingStreamClosure<Failure, P>
    ) -> Publishers.TryCatch<Self, P> where Output == P.Output {
        Publishers.TryCatch(upstream: self, handler: handler)
    }
}

extension Publishers {
    /// A publisher that goes on with another publisher when the first one fails.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The values of both publishers.
        public typealias Output = Upstream.Output

        /// The errors of the second publisher.
        public typealias Failure = NewPublisher.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// What makes a publisher of the failure.
        public let handler: StreamClosure<Upstream.Failure, NewPublisher>

        /// Makes the publisher that `catch(_:)` returns.
        @inlinable public init(upstream: Upstream, handler: @escaping StreamClosure<Upstream.Failure, NewPublisher>) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Connects a subscriber to the first publisher.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let handler = self.handler
            let conduit = SuccessionConduit<Output, Failure>(name: "Catch", to: subscriber)
            conduit.connect(to: upstream) { failure in
                { conduit, turn in
                    handler(failure).receive(
                        subscriber: SuccessionSubscriber(conduit, turn: turn) { $0.end($1) })
                }
            }
        }
    }

    /// A publisher that goes on with another publisher, or with another failure, when the first one fails.
    public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// The values of both publishers.
        public typealias Output = Upstream.Output

        /// Any error: that of the second publisher, or the one thrown.
        public typealias Failure = any Error

        /// The publisher that may fail.
        public let upstream: Upstream

        /// What makes a publisher of the failure, or throws.
        public let handler: ThrowingStreamClosure<Upstream.Failure, NewPublisher>

        /// Makes the publisher that `tryCatch(_:)` returns.
        @inlinable public init(
            upstream: Upstream, handler: @escaping ThrowingStreamClosure<Upstream.Failure, NewPublisher>
        ) {
            self.upstream = upstream
            self.handler = handler
        }

        /// Connects a subscriber to the first publisher.
        @inlinable public func receive(subscriber: some Subscriber<Output, any Error>) {
            let handler = self.handler
            let conduit = SuccessionConduit<Output, any Error>(name: "TryCatch", to: subscriber)
            conduit.connect(to: upstream) { failure in
                { conduit, turn in
                    do {
                        try handler(failure).receive(
                            subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                                switch completion {
                                case .finished: conduit.end(.finished)
                                case .failure(let error): conduit.end(.failure(error))
                                }
                            })
                    } catch {
                        conduit.end(.failure(error))
                    }
                }
            }
        }
    }
}

extension Publishers.Catch: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryCatch: StrictlySendable where Upstream: StrictlySendable {}

extension SuccessionConduit {
    /// Connects the subscriber to a publisher, and to another one if that one fails.
    @inlinable func connect<Upstream: Publisher>(
        to upstream: Upstream, onFailure: @escaping (Upstream.Failure) -> Attach
    ) where Upstream.Output == Output {
        proceed { conduit, turn in
            upstream.receive(
                subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                    switch completion {
                    case .finished: conduit.end(.finished)
                    case .failure(let failure): conduit.proceed(to: onFailure(failure))
                    }
                })
        }
    }
}
