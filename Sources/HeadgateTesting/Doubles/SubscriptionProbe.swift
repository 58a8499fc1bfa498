import HeadgateCore

/// A publisher that counts its subscriptions: put one into each branch of a pipeline to see which was taken.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let left = SubscriptionProbe<Int, Never>((1...2).publisher)
/// let right = SubscriptionProbe<Int, Never>((3...4).publisher)
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// Just(true).flatMap { $0 ? left : right }.subscribe(subscriber)
/// print(left.subscriptionCount, right.subscriptionCount)
/// // 1 0
/// ```
///
/// **Demand**, **Completion** and **Threads** are those of the wrapped publisher.
public final class SubscriptionProbe<Output, Failure: Error>: Publisher, @unchecked Sendable {
    private struct Counts {
        var subscriptions = 0
        var requests = 0
        var cancellations = 0
        var completions = 0
        /// The streams that have been cancelled or have completed.
        var ended: Set<CombineIdentifier> = []
    }

    // The counts are guarded by a lock, and the publisher does not change.
    private let counts = Guarded(Counts())
    private let upstream: AnyPublisher<Output, Failure>

    /// Creates a probe around a publisher.
    public init(_ publisher: some Publisher<Output, Failure>) {
        upstream = AnyPublisher(publisher)
    }

    /// The number of subscriptions.
    public var subscriptionCount: Int { counts.withLock { $0.subscriptions } }

    /// The number of calls of `request(_:)`.
    public var requestCount: Int { counts.withLock { $0.requests } }

    /// The number of cancellations.
    public var cancelCount: Int { counts.withLock { $0.cancellations } }

    /// The number of completions.
    public var completionCount: Int { counts.withLock { $0.completions } }

    /// Whether there was a subscription.
    public var wasSubscribed: Bool { subscriptionCount > 0 }

    /// Whether every subscription was cancelled or has completed.
    public var isIdle: Bool { counts.withLock { $0.subscriptions == $0.ended.count } }

    /// Connects a subscriber to the wrapped publisher.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        // A stream does not retain the probe: once that is released, nobody reads its counts.
        let stream = CombineIdentifier()
        upstream.subscribe(
            ReportingSubscriber(AnySubscriber(subscriber)) { [weak self] in self?.count($0, of: stream) })
    }

    private func count(_ event: StreamEvent<Output, Failure>, of stream: CombineIdentifier) {
        counts.withLock {
            switch event {
            case .subscription: $0.subscriptions += 1
            case .request: $0.requests += 1
            case .cancel:
                $0.cancellations += 1
                $0.ended.insert(stream)
            case .completion:
                $0.completions += 1
                // A stream may complete inside its cancellation, or be cancelled after its completion.
                $0.ended.insert(stream)
            case .value, .answer: break
            }
        }
    }
}
