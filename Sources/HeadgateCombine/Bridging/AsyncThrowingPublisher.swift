import HeadgateCore
import HeadgateEngine

extension Publisher where Output: StrictlySendable {
    /// The values, for a `for try await` loop that loses none while its body runs.
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
    /// The publisher is subscribed to when the loop begins. Leaving the loop cancels, and so does cancelling the task,
    /// after which the loop ends without an error.
    ///
    /// - **Demand**: as with the `values` of a publisher that does not fail: one by one from a source that answers at
    ///   once, a window from any other, and the most recent value of a state.
    /// - **Completion**: ends the loop, behind all values. A failure is thrown, once.
    /// - **Complexity**: constant for each value. A task is suspended only if there is nothing for it.
    @inlinable public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The values of a publisher that may fail, as an asynchronous sequence.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    /// The values of the publisher.
    public typealias Element = P.Output

    /// Any error, though it is always one of the publisher's.
    public typealias Failure = any Error

    /// What a loop takes values from.
    public typealias AsyncIterator = Iterator

    @usableFromInline let publisher: P

    @usableFromInline let policy: AsyncPolicy

    /// Makes the sequence that `values` answers with.
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
        publisher.receive(subscriber: conduit)
        return Iterator(AsyncReader(conduit))
    }

    /// One subscription to the publisher.
    ///
    /// Copies share it. It is cancelled when the last of them goes.
    public struct Iterator: AsyncIteratorProtocol {
        /// The values of the publisher.
        public typealias Element = P.Output

        /// Any error, though it is always one of the publisher's.
        public typealias Failure = any Error

        @usableFromInline let reader: AsyncReader<P.Output, P.Failure>

        @inlinable init(_ reader: AsyncReader<P.Output, P.Failure>) { self.reader = reader }

        /// The next value; `nil` when the publisher has finished or the task is cancelled.
        ///
        /// - Throws: The failure of the publisher, once.
        @inlinable public mutating func next() async throws -> P.Output? {
            try await next(isolation: nil)
        }

        /// The next value, without leaving the actor of the caller.
        ///
        /// - Throws: The failure of the publisher, once.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> P.Output? {
            while true {
                switch reader.conduit.poll() {
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
