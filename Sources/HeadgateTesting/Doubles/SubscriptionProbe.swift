import Headgate
import HeadgateEngine
import HeadgateCore

/// A publisher that tells whether it was subscribed: put one into each branch of a pipeline to see which was taken.
///
/// ```swift
/// let left = SubscriptionProbe<Int, Never>((1...2).publisher)
/// let right = SubscriptionProbe<Int, Never>((3...4).publisher)
/// let subscriber = TestSubscriber<Int, Never>(.unlimited)
/// Just(true).flatMap { $0 ? left : right }.subscribe(subscriber)
/// print(left.subscriptionCount, right.subscriptionCount)
/// // 1 0
/// ```
///
/// **Demand** and **Completion** are those of the publisher inside.
public final class SubscriptionProbe<Output, Failure: Error>: Publisher, @unchecked Sendable {
    private struct Counts {
        var subscriptions = 0
        var requests = 0
        var cancellations = 0
        var completions = 0
    }

    private final class Observer: TapObserver {
        let counts = Guarded(Counts())

        func note(_ event: StreamEvent<Output, Failure>) {
            counts.withLock {
                switch event {
                case .subscription: $0.subscriptions += 1
                case .request: $0.requests += 1
                case .cancel: $0.cancellations += 1
                case .completion: $0.completions += 1
                case .value, .answer: break
                }
            }
        }
    }

    // The counts are behind a lock, and the publisher does not change.
    private let observer = Observer()
    private let upstream: AnyPublisher<Output, Failure>

    /// Makes a probe around a publisher.
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        upstream = AnyPublisher(hiding: publisher)
    }

    /// How often it was subscribed.
    public var subscriptionCount: Int { observer.counts.withLock { $0.subscriptions } }

    /// How often it was asked for values.
    public var requestCount: Int { observer.counts.withLock { $0.requests } }

    /// How often it was cancelled.
    public var cancelCount: Int { observer.counts.withLock { $0.cancellations } }

    /// How often it ended by itself.
    public var completionCount: Int { observer.counts.withLock { $0.completions } }

    /// Whether it was subscribed at all.
    public var wasSubscribed: Bool { subscriptionCount > 0 }

    /// Whether nobody holds a subscription any more: each was cancelled or has ended.
    public var isIdle: Bool {
        observer.counts.withLock { $0.subscriptions == $0.cancellations + $0.completions }
    }

    /// Connects a subscriber to the publisher inside.
    public func receive(subscriber: some Subscriber<Output, Failure>) {
        upstream.subscribe(Tap(AnySubscriber(subscriber), observer: observer))
    }
}
