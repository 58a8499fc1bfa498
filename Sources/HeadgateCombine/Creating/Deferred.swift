import HeadgateCore
import HeadgateEngine

/// Makes a publisher anew for each subscriber, at the moment when it subscribes.
///
/// ```
/// subscribers   -a-----b-
/// Deferred      -|-----|-   the closure is called
/// ```
///
/// ```swift
/// var attempts = 0
/// let publisher = Deferred { () -> Just<Int> in
///     attempts += 1
///     return Just(attempts)
/// }
/// let first = publisher.sink { print($0) }
/// // 1
/// let second = publisher.sink { print($0) }
/// // 2
/// ```
///
/// - **Demand** and **Completion**: those of the publisher that the closure makes.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    /// The values of the publisher that is made.
    public typealias Output = DeferredPublisher.Output

    /// The errors of the publisher that is made.
    public typealias Failure = DeferredPublisher.Failure

    /// What makes a publisher.
    public let createPublisher: StreamClosure<DeferredPublisher>

    /// Makes a publisher that makes another one for each subscriber.
    ///
    /// - Parameter createPublisher: Called once for each subscriber, on the thread that subscribes.
    @inlinable public init(createPublisher: @escaping StreamClosure<DeferredPublisher>) {
        self.createPublisher = createPublisher
    }

    /// Connects a subscriber to a new publisher.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        createPublisher().receive(subscriber: subscriber)
    }
}

extension Deferred: StrictlySendable {}
