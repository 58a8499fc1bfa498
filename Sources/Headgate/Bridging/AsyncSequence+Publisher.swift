import HeadgateEngine

extension AsyncSequence where Self: Sendable {
    /// Publishes the elements of an asynchronous sequence, one per requested value.
    ///
    /// ```
    /// subscriber   ^2-----^1---^1
    /// publisher    (12)---3----|
    /// ```
    ///
    /// ```swift
    /// let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    /// for line in ["INFO up", "ERROR down"] { continuation.yield(line) }
    /// continuation.finish()
    /// for await line in lines.publisher.filter({ $0.hasPrefix("ERROR") }).values { print(line) }
    /// // ERROR down
    /// ```
    ///
    /// Each subscriber gets its own iterator and its own task, which inherits the task-local values of the subscriber.
    /// The iterator never leaves that task, so it need not be `Sendable`. Cancelling the subscription cancels the task
    /// and releases the subscriber at once, even if the sequence ignores the cancellation.
    ///
    /// - **Demand**: `next()` is called once per requested value. The iterator is made when the first demand arrives.
    /// - **Completion**: finishes when the sequence ends, which is detected by the first request that it can't serve.
    ///   An error thrown by the sequence becomes the failure, with its type.
    /// - **Threads**: the sequence is iterated in a task of the subscription's own, which delivers the values.
    ///   `cancel()` cancels it on the calling thread.
    /// - **Complexity**: one task per subscription, suspended while there is no demand or no element.
    @_disfavoredOverload @inlinable public var publisher: Publishers.AsyncElements<Self> {
        Publishers.AsyncElements(sequence: self)
    }
}

extension Publishers {
    /// A publisher of the elements of an asynchronous sequence.
    @preconcurrency public struct AsyncElements<Elements: AsyncSequence & Sendable>: Publisher {
        /// The type of the published values.
        public typealias Output = Elements.Element

        /// The type of error that the stream may fail with.
        public typealias Failure = Elements.Failure

        /// The sequence, which is iterated once per subscriber.
        public let sequence: Elements

        /// Creates a publisher of a sequence's elements.
        @inlinable public init(sequence: Elements) { self.sequence = sequence }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            TaskConduit.connect(subscriber, name: "AsyncSequence") { [sequence] conduit async throws(Failure) in
                var iterator = sequence.makeAsyncIterator()
                while let element = try await iterator.next(isolation: nil) {
                    if !conduit.deliver(element), !(await conduit.awaitDemand()) { return }
                }
            }
        }
    }
}

extension Publishers.AsyncElements: Sendable where Elements: Sendable {}
