import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension AsyncSequence {
    /// Publishes the elements of an asynchronous sequence, one for each that is requested.
    ///
    /// ```
    /// subscriber   ^2-----^1---
    /// publisher    12-----3|---
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
    /// Every subscriber has an iterator and a task of its own, with the task-locals of the place of subscription. The
    /// iterator never leaves that task, so it need not be `Sendable`. Cancelling the stream cancels the task, and lets go
    /// of the subscriber at once, whether or not the sequence takes notice.
    ///
    /// - **Demand**: `next()` is called once for each value that is requested, and the iterator is made at the first
    ///   demand.
    /// - **Completion**: when the sequence ends, which is found at the first request that it can't serve. An error that it
    ///   throws is the failure, and keeps its type.
    /// - **Complexity**: one task for the whole stream, which is suspended where there is no demand or no element.
    @inlinable public var publisher: Publishers.AsyncElements<Self> { Publishers.AsyncElements(sequence: self) }
}

extension Publishers {
    /// A publisher of the elements of an asynchronous sequence.
    public struct AsyncElements<Elements: AsyncSequence>: Publisher {
        /// The elements.
        public typealias Output = Elements.Element

        /// What the sequence throws.
        public typealias Failure = Elements.Failure

        /// The sequence, which is iterated once for each subscriber.
        public let sequence: Elements

        /// Makes a publisher of a sequence's elements.
        @inlinable public init(sequence: Elements) { self.sequence = sequence }

        /// Connects a subscriber to an iterator of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            TaskConduit.connect(subscriber, name: "AsyncSequence") { [sequence] conduit in
                await Self.serve(conduit, from: sequence)
            }
        }

        @inlinable static func serve(_ conduit: TaskConduit<Output, Failure>, from sequence: Elements) async {
            guard await conduit.awaitDemand() else { return }
            var iterator = sequence.makeAsyncIterator()
            do throws(Failure) {
                while await conduit.awaitDemand() {
                    guard let element = try await iterator.next(isolation: nil) else {
                        return conduit.finish(.finished)
                    }
                    conduit.deliver(element)
                }
            } catch {
                conduit.finish(.failure(error))
            }
        }
    }
}

extension Publishers.AsyncElements: Sendable where Elements: Sendable {}
