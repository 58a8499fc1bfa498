import HeadgateEngine

extension Publisher {
    /// Buffers values that arrive without demand, up to a maximum size.
    ///
    /// Drops values when it is full, without a report, if `whenFull` says so. To have them reported, use
    /// `onBackpressureBuffer` of the module `Headgate`; to drop none from a source that waits for demand, request with
    /// `.keepFull`.
    ///
    /// ```
    /// self      1-2-3-4-5---------|
    /// demand    ---------^2---^9
    /// buffer    size: 3, whenFull: .dropOldest
    ///           ---------(34)-5---|
    /// ```
    ///
    /// ```swift
    /// import HeadgateCombine
    /// import HeadgateTesting
    ///
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.none)
    /// ticks.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).subscribe(subscriber)
    /// for tick in 1...3 { ticks.send(tick) }
    /// subscriber.request(.max(2))
    /// print(subscriber.values)
    /// // [2, 3]
    /// ```
    ///
    /// - **Demand**: with `.byRequest`, unlimited values are requested from upstream on subscription (with the first
    ///   demand if upstream waits for demand, as a sequence does), and `whenFull` decides what happens to values that
    ///   don't fit: `.dropNewest` and `.dropOldest` lose values. With `.keepFull`, `size` values are requested on
    ///   subscription, and one more for each value delivered, so nothing is lost from a publisher that respects demand;
    ///   a size of zero requests nothing, which a warning on standard error reports once.
    /// - **Completion**: forwarded once the buffered values have been delivered.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it, or on that of the request that
    ///   it has waited for. A request that is made while another thread delivers is served by that thread.
    /// - **Complexity**: constant time per value. Memory for `size` values.
    ///
    /// - Parameters:
    ///   - size: The maximum number of values to buffer. A negative number traps.
    ///   - prefetch: How much to request from upstream.
    ///   - whenFull: What to do with a value that doesn't fit.
    @inlinable public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }
}

extension Publishers {
    /// How much a buffer requests from upstream.
    public enum PrefetchStrategy: Sendable {
        /// Requests as many values as there is room for.
        case keepFull
        /// Requests unlimited values, whatever the demand.
        case byRequest
    }

    /// What a buffer does with a value that doesn't fit.
    public enum BufferingStrategy<Failure: Error> {
        /// Drops the value.
        case dropNewest
        /// Drops the oldest buffered value.
        case dropOldest
        /// Cancels upstream, and fails with the closure's error once the buffered values have been delivered.
        case customError(@Sendable () -> Failure)

        @inlinable package var rule: OverflowRule<Failure> {
            switch self {
            case .dropNewest: .drop
            case .dropOldest: .makeRoom
            case .customError(let makeError): .fail(makeError)
            }
        }
    }

    /// A publisher that buffers the values of upstream while there is no demand.
    public struct Buffer<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of buffered values.
        public let size: Int

        /// How much is requested from upstream.
        public let prefetch: Publishers.PrefetchStrategy

        /// What is done with a value that doesn't fit.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Creates the publisher that `buffer(size:prefetch:whenFull:)` returns.
        @inlinable public init(
            upstream: Upstream, size: Int, prefetch: Publishers.PrefetchStrategy,
            whenFull: Publishers.BufferingStrategy<Failure>
        ) {
            require(
                size >= 0, rule: "The size of a buffer can't be negative.", found: "buffer(size: \(size))",
                remedy: "Pass the number of values to keep, zero or more.")
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if size == 0, prefetch == .keepFull { warnOfLimitOfZero("buffer(size: 0, prefetch: .keepFull)") }
            BufferConduit<Output, Failure, ImmediateScheduler>(
                name: "Buffer", size: size, requesting: prefetch == .keepFull ? .max(size) : .unlimited,
                step: prefetch == .keepFull ? .max(1) : .none, whenFull: whenFull.rule, subscriber
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.BufferingStrategy: Sendable {}

extension Publishers.Buffer: Sendable where Upstream: Sendable {}
