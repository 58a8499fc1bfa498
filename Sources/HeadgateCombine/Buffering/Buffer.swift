import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Keeps values that come while none are asked for, up to a number of them.
    ///
    /// ```
    /// self      1-2-3-4-5---------|
    /// demand    --------^2----^9
    /// buffer    size: 3, whenFull: .dropOldest
    ///           --------(34)5-----|
    /// ```
    ///
    /// ```swift
    /// let ticks = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.none)
    /// ticks.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).subscribe(subscriber)
    /// for tick in 1...3 { ticks.send(tick) }
    /// subscriber.request(.max(2))
    /// print(subscriber.values)
    /// // [2, 3]
    /// ```
    ///
    /// - **Demand**: with `.byRequest`, upstream is asked for everything at once, and what the buffer can't hold is
    ///   treated as `whenFull` says: with `.dropNewest` and `.dropOldest`, values are lost. With `.keepFull`, upstream is
    ///   asked for `size` values, and for one more for each that is delivered, so from a publisher that keeps to demand
    ///   nothing is lost; a size of zero asks for nothing.
    /// - **Completion**: passed on when all that was kept has been delivered.
    /// - **Complexity**: constant time a value. Memory for `size` values.
    ///
    /// - Parameters:
    ///   - size: How many values to keep. A negative number traps.
    ///   - prefetch: How much to ask upstream for.
    ///   - whenFull: What to do with a value for which there is no room.
    @inlinable public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }
}

extension Publishers {
    /// How much a buffer asks its upstream for.
    public enum PrefetchStrategy: Sendable {
        /// As many values as there is room for.
        case keepFull
        /// Everything, whatever the demand.
        case byRequest
    }

    /// What a buffer does with a value for which there is no room.
    public enum BufferingStrategy<Failure: Error> {
        /// Drops that value.
        case dropNewest
        /// Drops the value that has been kept longest.
        case dropOldest
        /// Cancels upstream, and fails with the error that the closure makes when all that was kept has been delivered.
        case customError(StreamClosure<Failure>)

        @inlinable package var rule: OverflowRule<Failure> {
            switch self {
            case .dropNewest: .dropNewest
            case .dropOldest: .dropOldest
            case .customError(let makeError): .fail(makeError)
            }
        }
    }

    /// A publisher that keeps the values of another one while none are asked for.
    public struct Buffer<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are kept.
        public let upstream: Upstream

        /// How many values are kept.
        public let size: Int

        /// How much upstream is asked for.
        public let prefetch: Publishers.PrefetchStrategy

        /// What is done with a value for which there is no room.
        public let whenFull: Publishers.BufferingStrategy<Failure>

        /// Makes the publisher that `buffer(size:prefetch:whenFull:)` returns.
        @inlinable public init(
            upstream: Upstream, size: Int, prefetch: Publishers.PrefetchStrategy,
            whenFull: Publishers.BufferingStrategy<Failure>
        ) {
            if size < 0 {
                programmerError(
                    rule: "The size of a buffer can't be negative.", found: "buffer(size: \(size))",
                    remedy: "Pass the number of values to keep, zero or more.")
            }
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
        }

        /// Connects a subscriber by way of a buffer of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            BufferConduit<Output, Failure, ImmediateScheduler>(
                name: "Buffer", size: size,
                demand: prefetch == .keepFull ? .ahead(size, step: 1) : .everything, whenFull: whenFull.rule,
                AnySubscriber(subscriber)
            )
            .connect(upstream, to: subscriber)
        }
    }
}

extension Publishers.BufferingStrategy: StrictlySendable {}

extension Publishers.Buffer: StrictlySendable where Upstream: StrictlySendable {}
