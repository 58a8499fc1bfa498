import HeadgateEngine

extension Publisher where Failure == Never, Output: Sendable {
    /// The values as an asynchronous sequence, for a `for await` loop, with a buffer for what arrives while its body
    /// runs.
    ///
    /// Drops values of a source that can't wait while 65,536 others wait for the loop, and all but the most recent
    /// value of a state. To choose another policy, use `values(buffering:)` of the module `Headgate`.
    ///
    /// ```swift
    /// for await number in (1...3).publisher.values {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// The loop subscribes when it begins. Leaving the loop cancels the subscription, and so does cancelling the task,
    /// after which the loop ends.
    ///
    /// Several tasks may consume a publisher. Each loop has its own subscription and receives every value; `share()`
    /// the publisher to give the loops one upstream. Tasks that divide the values among themselves each take a copy of
    /// one iterator: every value goes to one of them, and cancelling one ends all of them.
    ///
    /// - **Demand**: one value at a time from a source that answers demand immediately, such as a sequence; 64 values
    ///   from any other source that is known to wait for demand, and 32 more each time the loop has consumed 32.
    ///   `CurrentValueSubject` and `@Published` are states: the loop keeps the most recent value and no backlog. From
    ///   any other source, 65,536 values are requested, and 32,768 more each time the loop has consumed as many. A
    ///   source that can't wait, such as `PassthroughSubject`, loses what it publishes while that many values are
    ///   waiting; this is reported once on standard error.
    /// - **Completion**: ends the loop after all values.
    /// - **Threads**: the body runs where the loop does, which subscribes and requests there; the publisher may deliver
    ///   on any thread. Cancelling the task cancels upstream on the thread that cancels.
    /// - **Complexity**: constant time per value. A task is suspended only if no value is waiting.
    @preconcurrency @inlinable public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// The values of a publisher that never fails, as an asynchronous sequence.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    /// The type of the elements.
    public typealias Element = P.Output
    /// The type of error that the stream may fail with.
    public typealias Failure = Never
    /// The type of the iterator.
    public typealias AsyncIterator = Iterator

    @usableFromInline let publisher: P

    @usableFromInline let policy: AsyncPolicy

    /// Creates the sequence that `values` returns.
    @inlinable public init(_ publisher: P) {
        self.init(publisher, policy: .lossless)
    }

    @inlinable package init(_ publisher: P, policy: AsyncPolicy) {
        self.publisher = publisher
        self.policy = policy
    }

    /// Subscribes to the publisher.
    @inlinable public func makeAsyncIterator() -> Iterator {
        let conduit = AsyncConduit<P.Output, Never>(policy)
        conduit.subscribe(to: publisher)
        return Iterator(AsyncReader(conduit))
    }

    /// A subscription to the publisher.
    ///
    /// Copies share the subscription. It is cancelled when the last copy is released.
    public struct Iterator: AsyncIteratorProtocol {
        /// The type of the elements.
        public typealias Element = P.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        @usableFromInline let reader: AsyncReader<P.Output, Never>

        @inlinable init(_ reader: AsyncReader<P.Output, Never>) { self.reader = reader }

        /// Returns the next value, or `nil` once the publisher has finished or the task is cancelled.
        @inlinable public mutating func next() async -> P.Output? {
            await next(isolation: nil)
        }

        /// Returns the next value without leaving the caller's actor.
        @inlinable @inline(__always)
        public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
            while true {
                switch reader.poll() {
                case .value(let value): return value
                case .ended: return nil
                case .nothing: await reader.conduit.wait(isolation: actor)
                }
            }
        }
    }
}

extension AsyncPublisher: Sendable where P: Sendable {}
