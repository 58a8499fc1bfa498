import HeadgateCore
import HeadgateEngine

extension Publisher where Failure == Never, Output: StrictlySendable {
    /// The values, for a `for await` loop that loses none while its body runs.
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
    /// The publisher is subscribed to when the loop begins. Leaving the loop cancels, and so does cancelling the task,
    /// after which the loop ends.
    ///
    /// Several tasks may consume a publisher. Each loop is a subscription of its own, and hears everything; for them to have
    /// one upstream, `share()` the publisher first. Tasks that are to divide the values between them each take a copy of one
    /// iterator: every value is heard by one of them, and cancelling one ends all.
    ///
    /// - **Demand**: one by one from a source that answers at once, such as a sequence; 64 values from any other that is
    ///   known to wait, and 32 more whenever the loop has taken 32. `CurrentValueSubject` and `@Published` are states:
    ///   the most recent value is kept for the loop, and no backlog of old ones. Of any other source 65,536 values are
    ///   requested, and 32,768 more whenever the loop has taken as many: one that can't wait, such as
    ///   `PassthroughSubject`, loses what it publishes while so many are waiting, which is said once on the standard error
    ///   stream.
    /// - **Completion**: ends the loop, behind all values.
    /// - **Complexity**: constant for each value. A task is suspended only if there is nothing for it.
    @inlinable public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// The values of a publisher that does not fail, as an asynchronous sequence.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    /// The values of the publisher.
    public typealias Element = P.Output

    /// The loop can't fail.
    public typealias Failure = Never

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
        let conduit = AsyncConduit<P.Output, Never>(policy)
        publisher.receive(subscriber: conduit)
        return Iterator(AsyncReader(conduit))
    }

    /// One subscription to the publisher.
    ///
    /// Copies share it. It is cancelled when the last of them goes.
    public struct Iterator: AsyncIteratorProtocol {
        /// The values of the publisher.
        public typealias Element = P.Output

        /// The loop can't fail.
        public typealias Failure = Never

        @usableFromInline let reader: AsyncReader<P.Output, Never>

        @inlinable init(_ reader: AsyncReader<P.Output, Never>) { self.reader = reader }

        /// The next value; `nil` when the publisher has finished or the task is cancelled.
        @inlinable public mutating func next() async -> P.Output? {
            await next(isolation: nil)
        }

        /// The next value, without leaving the actor of the caller.
        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
            while true {
                switch reader.conduit.poll() {
                case .value(let value): return value
                case .ended: return nil
                case .nothing: await reader.conduit.wait(isolation: actor)
                }
            }
        }
    }
}

extension AsyncPublisher: Sendable where P: Sendable {}
