import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again when it finishes, until it has run `times` times.
    ///
    /// ```
    /// self      1-2-|
    /// repeat        1-2-|
    ///           1-2-1-2-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .repeat(times: 2)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 1, 2]
    /// ```
    ///
    /// An empty publisher is repeated as well; one that finishes synchronously blocks the caller for as long as that
    /// takes.
    ///
    /// - **Demand**: forwarded. Demand that one run has not served is requested from the next.
    /// - **Completion**: finishes after the last run. A failure is forwarded at once.
    /// - **Complexity**: constant time per value and run; runs that finish synchronously do not grow the stack.
    /// - **Threads**: values are delivered on the thread on which upstream delivers. Each run is subscribed to on the
    ///   thread that delivers the completion of the one before.
    ///
    /// - Parameter times: The total number of runs. Zero finishes without subscribing; `Int.max` repeats practically
    ///   forever. A negative number traps.
    @inlinable public func `repeat`(times: Int) -> Publishers.Repeat<Self> {
        Publishers.Repeat(upstream: self, times: times)
    }
}

extension Publishers {
    /// A publisher that subscribes to upstream several times, one run after the other.
    public struct Repeat<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The total number of runs.
        public let times: Int

        /// Creates the publisher that `repeat(times:)` returns.
        @inlinable public init(upstream: Upstream, times: Int) {
            require(
                times >= 0, rule: "The number of repetitions can't be negative.", found: "repeat(times: \(times))",
                remedy: "Pass zero for none, or Int.max to repeat without end.")
            self.upstream = upstream
            self.times = times
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if times == 0 { return subscriber.complete(with: .finished) }
            let upstream = self.upstream
            var remaining = times - 1
            func go(_ conduit: SuccessionConduit<Output, Failure>) {
                conduit.proceed(to: upstream) { conduit, completion in
                    guard case .finished = completion, remaining > 0 else { return conduit.end(completion) }
                    remaining -= 1
                    go(conduit)
                }
            }
            go(SuccessionConduit(name: "Repeat", to: subscriber))
        }
    }
}

extension Publishers.Repeat: Sendable where Upstream: Sendable {}

extension Publishers.Repeat: Equatable where Upstream: Equatable {}
