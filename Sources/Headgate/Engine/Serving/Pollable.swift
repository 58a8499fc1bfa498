/// A source outside the process that is polled once per value requested.
///
/// It belongs to the queue of the conduit that serves from it, and is released at the end or at `cancel()`; its
/// `deinit` must free everything it holds.
@usableFromInline package protocol Pollable<Output, Failure>: AnyObject, SendableMetatype {
    /// The values.
    associatedtype Output

    /// How polling fails.
    associatedtype Failure: Error

    /// Where it is polled.
    associatedtype Place: PollingQueue

    /// Takes a value if there is one, without blocking longer than a disk takes.
    func poll() throws(Failure) -> Poll<Output>

    /// How to wait for a value after `.pending`; asked once per source, and called on the queue.
    func waiting(on queue: Place) -> PollingWait

    /// Takes a closure to call, on the queue, when the source learns without a poll that no more values come.
    ///
    /// For the end that would go unnoticed while there is no demand, such as that of a connection that is reset.
    func watchEnd(_ onEnd: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void)
}

extension Pollable {
    @inlinable package func watchEnd(_ onEnd: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void) {}
}

/// The result of polling a source.
@usableFromInline package enum Poll<Output> {
    /// A value.
    case value(Output)
    /// A value that is known to be the last.
    case last(Output)
    /// No value yet; poll again when the source's wait calls back.
    case pending
    /// A value that can't be taken yet, and nothing reports when it can; poll again after a delay.
    case postponed
    /// No more values.
    case finished
}

/// A serial queue on which a source is polled and its values are delivered.
@usableFromInline package protocol PollingQueue: Sendable {
    /// Runs work after all work enqueued earlier.
    func run(_ work: @escaping @Sendable () -> Void)

    /// Runs work, enqueued by the job that runs now, after other streams on the same threads have had a turn.
    func runLater(_ work: @escaping @Sendable () -> Void)

    /// Runs work after a delay, and after all work enqueued until then.
    func run(afterMilliseconds time: Int, _ work: @escaping @Sendable () -> Void)
}

/// Waits for a polled source: calls back once, on the queue, when polling again makes sense.
///
/// Replaces an earlier callback.
@usableFromInline package typealias PollingWait = (_ onReady: @escaping () -> Void) -> Void
