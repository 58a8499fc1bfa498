import HeadgateEngine

extension Publishers {
    /// How to buffer the values that are published while the body of a `for await` loop runs.
    ///
    /// ```swift
    /// for await number in (1...100).publisher.values(buffering: .newest(2)) {
    ///     print(number)
    /// }
    /// // 99
    /// // 100
    /// ```
    public enum AsyncBuffering: Hashable, Sendable {
        /// Loses nothing from a source that waits for demand, and bounds the buffer for every source. `values` uses
        /// this policy.
        ///
        /// - From a source that answers demand synchronously, such as a sequence, also after `map` or `filter`,
        ///   requests one value per iteration. Nothing is buffered.
        /// - From any other source that is known to wait for demand, such as a sequence after `receive(on:)` or
        ///   `delay`, requests 64 values, and 32 more each time the loop has consumed 32.
        /// - From a state, which is a `CurrentValueSubject` or a `@Published` property, also after `map` or `filter`,
        ///   buffers the most recent value. A slow loop does not see the values in between.
        /// - From any other source, such as a `PassthroughSubject`, a timer or a publisher from another library,
        ///   requests 65,536 values, and 32,768 more each time the loop has consumed that many. A source that waits for
        ///   demand loses nothing; one that can't wait loses what it publishes while 65,536 values are buffered. The
        ///   first time this happens in a loop, a warning is written to standard error. Use `.bounded` for another
        ///   bound, `.newest` to drop the oldest values instead, or `buffer(size:prefetch:whenFull:)` to fail.
        case lossless

        /// Requests one value per iteration of the loop, and buffers nothing.
        ///
        /// A source that can't wait, such as a subject, loses what it publishes in between.
        case onDemand

        /// Prefetches up to `count` values (at least one) and requests another each time the loop consumes one.
        ///
        /// A source that can't wait loses what it publishes while the buffer is full. A count below one traps when the
        /// loop begins.
        case bounded(Int)

        /// Requests unlimited values, and buffers at most the `count` most recent values (at least one).
        ///
        /// When the buffer is full, a new value replaces the oldest. A count below one traps when the loop begins.
        case newest(Int)

        @inlinable var policy: AsyncPolicy {
            switch self {
            case .lossless: .lossless
            case .onDemand: .onDemand
            case .bounded(let count): .bounded(count)
            case .newest(let count): .newest(count)
            }
        }
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    /// The values, for a `for await` loop, with a policy for values published while the body of the loop runs.
    ///
    /// Drops values for which the policy has no room: those of a source that can't wait and, with `.newest`, those of
    /// any source. To fail instead, put `buffer(size:prefetch:whenFull:)` before it; to slow the source down, use a
    /// `StreamChannel`.
    ///
    /// ```swift
    /// for await number in (1...3).publisher.values(buffering: .onDemand) {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: see `buffering`.
    /// - **Completion** and **Complexity**: as for `values`.
    /// - **Threads**: the publisher is subscribed to and requested from where the loop runs, and may deliver on any
    ///   thread; the body runs where the loop does.
    ///
    /// - Parameter buffering: How many values to request, and how many to buffer.
    @preconcurrency @inlinable public func values(buffering: Publishers.AsyncBuffering) -> AsyncPublisher<Self> {
        AsyncPublisher(self, buffering: buffering)
    }
}

extension AsyncPublisher {
    /// Creates the sequence that `values(buffering:)` returns.
    @inlinable public init(_ publisher: P, buffering: Publishers.AsyncBuffering) {
        self.init(publisher, policy: buffering.policy)
    }
}

extension Publisher where Output: Sendable {
    /// The values, for a `for try await` loop, with a policy for values published while the body of the loop runs.
    ///
    /// Drops values for which the policy has no room: those of a source that can't wait and, with `.newest`, those of
    /// any source. To fail instead, put `buffer(size:prefetch:whenFull:)` before it; to slow the source down, use a
    /// `StreamChannel`.
    ///
    /// ```swift
    /// for try await number in [1, 2].publisher.tryMap({ $0 * 10 }).values(buffering: .bounded(8)) {
    ///     print(number)
    /// }
    /// // 10
    /// // 20
    /// ```
    ///
    /// - **Demand**: see `buffering`.
    /// - **Completion** and **Complexity**: as for `values`.
    /// - **Threads**: the publisher is subscribed to and requested from where the loop runs, and may deliver on any
    ///   thread; the body runs where the loop does.
    ///
    /// - Parameter buffering: How many values to request, and how many to buffer.
    @preconcurrency @inlinable public func values(buffering: Publishers.AsyncBuffering) -> AsyncThrowingPublisher<Self>
    {
        AsyncThrowingPublisher(self, buffering: buffering)
    }
}

extension AsyncThrowingPublisher {
    /// Creates the sequence that `values(buffering:)` returns.
    @inlinable public init(_ publisher: P, buffering: Publishers.AsyncBuffering) {
        self.init(publisher, policy: buffering.policy)
    }
}
