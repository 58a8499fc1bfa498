import HeadgateEngine

extension Publisher where Output: Sendable {
    /// The values as an asynchronous sequence, for a `for try await` loop, with a buffer for what arrives while its
    /// body runs.
    ///
    /// Drops values of a source that can't wait while 65,536 others wait for the loop, and all but the most recent
    /// value of a state. To choose another policy, use `values(buffering:)` of the module `Headgate`.
    ///
    /// ```swift
    /// struct Overflow: Error {}
    /// do {
    ///     for try await number in Fail<Int, Overflow>(error: Overflow()).values { print(number) }
    /// } catch {
    ///     print(error)
    /// }
    /// // Overflow()
    /// ```
    ///
    /// The loop subscribes when it begins. Leaving the loop cancels the subscription, and so does cancelling the task,
    /// after which the loop ends without an error.
    ///
    /// - **Demand**: the same as for the `values` of a publisher that never fails: one value at a time from a source
    ///   that answers demand immediately, a window from any other, and the most recent value of a state.
    /// - **Completion**: ends the loop after all values. A failure is thrown, once.
    /// - **Threads**: the body runs where the loop does, which subscribes and requests there; the publisher may deliver
    ///   on any thread. Cancelling the task cancels upstream on the thread that cancels.
    /// - **Complexity**: constant time per value. A task is suspended only if no value is waiting.
    @preconcurrency @inlinable public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The values of a publisher that may fail, as an asynchronous sequence.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    /// The type of the elements.
    public typealias Element = P.Output
    /// The type of error that the stream may fail with.
    public typealias Failure = any Error
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
        let conduit = AsyncConduit<P.Output, P.Failure>(policy)
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
        public typealias Failure = any Error

        @usableFromInline let reader: AsyncReader<P.Output, P.Failure>

        @inlinable init(_ reader: AsyncReader<P.Output, P.Failure>) { self.reader = reader }

        /// Returns the next value, or `nil` once the publisher has finished or the task is cancelled.
        ///
        /// - Throws: The publisher's failure, once.
        @inlinable public mutating func next() async throws -> P.Output? {
            try await next(isolation: nil)
        }

        /// Returns the next value without leaving the caller's actor.
        ///
        /// - Throws: The publisher's failure, once.
        @inlinable @inline(__always)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> P.Output? {
            while true {
                switch reader.poll() {
                case .value(let value): return value
                case .ended(.failure(let failure)): throw failure
                case .ended(.finished): return nil
                case .nothing: await reader.conduit.wait(isolation: actor)
                }
            }
        }
    }
}

extension AsyncThrowingPublisher: Sendable where P: Sendable {}
