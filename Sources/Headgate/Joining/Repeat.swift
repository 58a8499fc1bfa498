import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Subscribes to this publisher again when it finishes, until it has gone a number of times.
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
    /// A publisher that has nothing to say is gone through all the same; one that does so at once keeps the caller busy.
    ///
    /// - **Demand**: passed on. What one turn has not served is asked of the next.
    /// - **Completion**: finishes after the last turn. A failure is passed on at once.
    /// - **Complexity**: constant time a value and a turn; turns that end at once do not grow the stack.
    ///
    /// - Parameter times: How many turns there are in all; none at all for zero, and `Int.max` for as good as ever. A negative
    ///   number traps.
    @inlinable public func `repeat`(times: Int) -> Publishers.Repeat<Self> {
        Publishers.Repeat(upstream: self, times: times)
    }
}

extension Publishers {
    /// A publisher that goes through another one several times.
    public struct Repeat<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is gone through.
        public let upstream: Upstream

        /// How many turns there are.
        public let times: Int

        /// Makes the publisher that `repeat(times:)` returns.
        @inlinable public init(upstream: Upstream, times: Int) {
            if times < 0 {
                programmerError(
                    rule: "The number of turns can't be negative.", found: "repeat(times: \(times))",
                    remedy: "Pass zero for no turn, and Int.max to go on.")
            }
            self.upstream = upstream
            self.times = times
        }

        /// Connects a subscriber to the first turn.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if times == 0 { return subscriber.connect(toEnd: .finished) }
            let upstream = self.upstream
            var remaining = times - 1
            let conduit = SuccessionConduit<Output, Failure>(name: "Repeat", to: subscriber)
            func go(_ conduit: SuccessionConduit<Output, Failure>, _ turn: Int) {
                upstream.receive(
                    subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                        guard case .finished = completion, remaining > 0 else { return conduit.end(completion) }
                        remaining -= 1
                        conduit.proceed(to: go)
                    })
            }
            conduit.proceed(to: go)
        }
    }
}

extension Publishers.Repeat: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Repeat: Equatable where Upstream: Equatable {}
