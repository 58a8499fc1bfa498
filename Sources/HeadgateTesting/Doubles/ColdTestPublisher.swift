import HeadgateCore

/// A publisher that plays the row of a time-line to each subscriber, from the time of its subscription on.
///
/// Each subscriber has a ``TestPublisher`` of its own, which delivers values only against demand.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let scheduler = TestScheduler()
/// let source = scheduler.cold("-1-x")
/// let subscriber = scheduler.start { source.retry(1) }
/// print(subscriber.marbles)
/// // -1--1-x
/// print(source.subscriptions)
/// // ["[--]", "---[--]"]
/// ```
public final class ColdTestPublisher<Output, Failure: Error>: Publisher, @unchecked Sendable {
    // The list is guarded, and publishers are called outside the lock.

    private let sources = Guarded<[TestPublisher<Output, Failure>]>([])
    private let clock: TestScheduler
    private let play: (TestPublisher<Output, Failure>) -> Void

    init(clock: TestScheduler, play: @escaping (TestPublisher<Output, Failure>) -> Void) {
        self.clock = clock
        self.play = play
    }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        let source = TestPublisher<Output, Failure>(clock: clock)
        sources.withLock { $0.append(source) }
        play(source)
        source.subscribe(subscriber)
    }

    /// When each subscription began and ended, as in ``TestPublisher/subscriptions``.
    public var subscriptions: [String] { sources.withLock { $0 }.flatMap(\.subscriptions) }

    /// What each subscriber requested and when, as in ``TestPublisher/requests``.
    public var requests: [String] { sources.withLock { $0 }.flatMap(\.requests) }
}

extension TestScheduler {
    /// Creates a publisher that plays the row of a time-line to each subscriber, from the time of its subscription on.
    ///
    /// - Parameters:
    ///   - values: The row of values, whose columns last as long as ``column`` says.
    ///   - type: The type of the values. A value that can't be converted to it traps.
    ///   - failure: The error for `x`.
    public func cold<Output: LosslessStringConvertible, Failure: Error>(
        _ values: String, of type: Output.Type, failure: Failure
    ) -> ColdTestPublisher<Output, Failure> {
        ColdTestPublisher(clock: self) { $0.play(values, on: self, failure: failure) }
    }

    /// Creates a publisher that plays the row of a time-line to each subscriber; an `x` is
    /// ``VerificationFailure/upstreamFailed``.
    public func cold<Output: LosslessStringConvertible>(
        _ values: String, of type: Output.Type
    ) -> ColdTestPublisher<Output, VerificationFailure> {
        cold(values, of: type, failure: .upstreamFailed)
    }

    /// Creates a publisher of strings that plays the row of a time-line to each subscriber; an `x` is
    /// ``VerificationFailure/upstreamFailed``.
    public func cold(_ values: String) -> ColdTestPublisher<String, VerificationFailure> {
        cold(values, of: String.self)
    }

    /// Creates a publisher that plays the row of a time-line from now on, whether it has subscribers or not.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let (source, stop) = (scheduler.hot("-1-2-3-4"), scheduler.hot("----0"))
    /// let subscriber = scheduler.start { source.prefix(untilOutputFrom: stop) }
    /// print(subscriber.marbles, source.subscriptions)
    /// // -1-2| ["[---!"]
    /// ```
    ///
    /// - Parameters:
    ///   - values: The row of values, whose columns last as long as ``column`` says.
    ///   - type: The type of the values. A value that can't be converted to it traps.
    ///   - failure: The error for `x`.
    public func hot<Output: LosslessStringConvertible, Failure: Error>(
        _ values: String, of type: Output.Type, failure: Failure
    ) -> TestPublisher<Output, Failure> {
        let source = TestPublisher<Output, Failure>(clock: self)
        source.play(values, on: self, failure: failure)
        return source
    }

    /// Creates a publisher that plays the row of a time-line from now on; an `x` is
    /// ``VerificationFailure/upstreamFailed``.
    public func hot<Output: LosslessStringConvertible>(
        _ values: String, of type: Output.Type
    ) -> TestPublisher<Output, VerificationFailure> {
        hot(values, of: type, failure: .upstreamFailed)
    }

    /// Creates a publisher of strings that plays the row of a time-line from now on; an `x` is
    /// ``VerificationFailure/upstreamFailed``.
    public func hot(_ values: String) -> TestPublisher<String, VerificationFailure> { hot(values, of: String.self) }
}
