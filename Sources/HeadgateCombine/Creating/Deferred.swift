import HeadgateEngine

/// Creates a new publisher for each subscriber, at the time of subscription.
///
/// ```
/// subscribers   -a-----b-
/// Deferred      -|-----|-   the closure is called
/// ```
///
/// ```swift
/// import HeadgateCombine
/// import Synchronization
///
/// let attempts = Atomic(0)
/// let publisher = Deferred { Just(attempts.add(1, ordering: .relaxed).newValue) }
/// let first = publisher.sink { print($0) }
/// // 1
/// let second = publisher.sink { print($0) }
/// // 2
/// ```
///
/// - **Demand** and **Completion**: those of the created publisher.
/// - **Threads**: the closure is called on the subscribing thread; otherwise those of the created publisher.
public struct Deferred<DeferredPublisher: Publisher>: Publisher, Sendable {
    /// The type of the published values.
    public typealias Output = DeferredPublisher.Output
    /// The type of error that the stream may fail with.
    public typealias Failure = DeferredPublisher.Failure

    /// The closure that creates a publisher.
    public let createPublisher: @Sendable () -> DeferredPublisher

    /// Creates a publisher that calls a closure for each subscriber.
    ///
    /// - Parameter createPublisher: Called once per subscriber, on the subscribing thread.
    @preconcurrency @inlinable public init(createPublisher: @escaping @Sendable () -> DeferredPublisher) {
        self.createPublisher = createPublisher
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        createPublisher().receive(subscriber: subscriber)
    }
}
