import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Returns a value, in a closure that retains an object.
private func keeping<Value>(_ object: Tracked, _ value: Value) -> Value { value }

/// What is left of a stream whose upstream has been deallocated without completing.
final class VanishedUpstreamTests: XCTestCase {
    /// A publisher that retains its subscribers, and is retained by nothing that it gives away.
    private final class Source: Publisher {
        typealias Output = Tracked
        typealias Failure = Never

        private final class Silence: Subscription {
            func request(_ demand: Subscribers.Demand) {}
            func cancel() {}
        }

        private var subscribers: [AnySubscriber<Tracked, Never>] = []

        func receive(subscriber: some Subscriber<Tracked, Never>) {
            subscribers.append(AnySubscriber(subscriber))
            subscriber.receive(subscription: Silence())
        }

        func send() {
            for subscriber in subscribers { _ = subscriber.receive(Tracked()) }
        }
    }

    private let scheduler = TestScheduler()

    /// When the source vanishes.
    private enum Moment: CaseIterable {
        case whileTheSubscriberHoldsItsCancellable
        case afterTheCancellable
    }

    /// Subscribes, sends values, lets the source vanish and releases the subscriber's cancellables, and expects that
    /// nothing is left.
    ///
    /// - Parameter waits: Whether something may be left until the alarm that is set has gone off.
    private func expectNothingLeft(
        _ name: String, untilAlarm waits: Bool = false, line: UInt = #line, _ subscribe: (Source, Tracked) -> [Any]
    ) {
        for moment in Moment.allCases {
            let living = Tracked.count
            var source: Source? = Source()
            weak let watched = source
            var held: [Any] = []
            if let source { held = subscribe(source, Tracked()) }
            for _ in 0..<3 { source?.send() }
            switch moment {
            case .whileTheSubscriberHoldsItsCancellable:
                source = nil
                held = []
            case .afterTheCancellable:
                held = []
                source = nil
            }
            XCTAssertTrue(held.isEmpty)
            if waits { scheduler.runUntilIdle() } else { XCTAssertEqual(scheduler.unfinished, [], name, line: line) }
            XCTAssertNil(watched, "\(name), \(moment)", line: line)
            XCTAssertEqual(Tracked.count, living, "\(name), \(moment)", line: line)
        }
    }

    /// Subscribes to inner streams in every way in which a subscriber may treat them.
    private func expectNothingLeft<P: Publisher>(
        ofInner name: String, line: UInt = #line, _ make: @escaping (Source, Tracked) -> P
    ) where P.Output: Publisher, P.Output.Output == Tracked, P.Output.Failure == Never, P.Failure == Never {
        expectNothingLeft("\(name), dropped", line: line) { source, tracked in
            [make(source, tracked).sink { _ in }]
        }
        expectNothingLeft("\(name), kept", line: line) { source, tracked in
            let kept = Kept()
            return [make(source, tracked).sink { kept.items.append($0) }, kept]
        }
        expectNothingLeft("\(name), subscribed to", line: line) { source, tracked in
            let kept = Kept()
            return [make(source, tracked).sink { kept.items.append($0.sink { _ in }) }, kept]
        }
        expectNothingLeft("\(name), with values that wait", line: line) { source, tracked in
            let kept = Kept()
            return [
                make(source, tracked).sink { inner in
                    let subscriber = TestSubscriber<Tracked, Never>(requesting: .none)
                    inner.subscribe(subscriber)
                    kept.items.append(AnyCancellable { subscriber.cancel() })
                }, kept,
            ]
        }
        expectNothingLeft("\(name), merged", line: line) { source, tracked in
            [make(source, tracked).flatMap { $0 }.sink { _ in }]
        }
        expectNothingLeft("\(name), latest", line: line) { source, tracked in
            [make(source, tracked).switchToLatest().sink { _ in }]
        }
        expectNothingLeft("\(name), inner ones without a subscription", untilAlarm: true, line: line) {
            source, tracked in
            make(source, tracked).subscribe(
                AnySubscriber(
                    receiveSubscription: { $0.request(.unlimited) },
                    receiveValue: { inner in
                        inner.subscribe(Deaf())
                        return .none
                    }))
            return []
        }
    }

    private final class Kept {
        var items: [Any] = []
    }

    /// A subscriber that doesn't retain its subscription.
    private struct Deaf: Subscriber {
        let combineIdentifier = CombineIdentifier()
        func receive(subscription: any Subscription) { subscription.request(.unlimited) }
        func receive(_ input: Tracked) -> Subscribers.Demand { .none }
        func receive(completion: Subscribers.Completion<Never>) {}
    }

    func test_nothingIsLeftOfGroups() {
        expectNothingLeft(ofInner: "groupBy") { source, tracked in
            source.groupBy(limit: 10, whenFull: .drop) { _ in keeping(tracked, 1) }
        }
        expectNothingLeft(ofInner: "groupBy, idle") { source, tracked in
            source.groupBy(limit: 10, idleTimeout: .seconds(10), scheduler: self.scheduler, whenFull: .drop) {
                keeping(tracked, ObjectIdentifier($0))
            }
        }
    }

    func test_nothingIsLeftOnceTheAlarmHasGoneOffThoughNobodyHoldsTheSubscription() {
        expectNothingLeft("batch", untilAlarm: true) { source, _ in
            source.batch(count: 10, within: .seconds(10), scheduler: self.scheduler).map { $0[0] }.subscribe(Deaf())
            return []
        }
        expectNothingLeft("timeout(first:between:total:)", untilAlarm: true) { source, tracked in
            source.setFailureType(to: StreamTimeout.self)
                .timeout(between: .seconds(10), total: .seconds(20), scheduler: self.scheduler) { keeping(tracked, $0) }
                .catch { _ in Empty() }
                .subscribe(Deaf())
            return []
        }
    }

    func test_nothingIsLeftOfWindows() {
        expectNothingLeft(ofInner: "window(count:)") { source, tracked in
            source.map { keeping(tracked, $0) }.window(count: 2, unread: .skip)
        }
        expectNothingLeft(ofInner: "window(within:)") { source, tracked in
            source.map { keeping(tracked, $0) }
                .window(within: .seconds(10), scheduler: self.scheduler, unread: .skip)
        }
        expectNothingLeft(ofInner: "window(on:)") { source, tracked in
            source.map { keeping(tracked, $0) }
                .window(on: PassthroughSubject<Void, Never>(), unread: .skip)
        }
    }

    func test_nothingIsLeftOfOperatorsThatKeepInnerStreams() {
        expectNothingLeft("flatMap") { source, tracked in
            [
                source.flatMap { _ in keeping(tracked, PassthroughSubject<Tracked, Never>()) }.sink { _ in }
            ]
        }
        expectNothingLeft("switchToLatest") { source, tracked in
            [
                source.map { _ in keeping(tracked, PassthroughSubject<Tracked, Never>()) }.switchToLatest().sink { _ in
                }
            ]
        }
        expectNothingLeft("concatMap") { source, tracked in
            [
                source.flatMap(maxPublishers: .max(1)) { _ in
                    keeping(tracked, Empty<Tracked, Never>(completeImmediately: false))
                }.sink { _ in }
            ]
        }
    }

    func test_nothingIsLeftOfSharedStreams() {
        expectNothingLeft("share") { source, tracked in
            let shared = source.map { keeping(tracked, $0) }.share()
            return [shared.sink { _ in }, shared.sink { _ in }]
        }
        expectNothingLeft("multicast") { source, tracked in
            let shared = source.map { keeping(tracked, $0) }
                .multicast(subject: PassthroughSubject<Tracked, Never>())
            return [shared.sink { _ in }, shared.connect()]
        }
        expectNothingLeft("multicast, autoconnected") { source, tracked in
            let shared = source.map { keeping(tracked, $0) }
                .multicast { PassthroughSubject<Tracked, Never>() }.autoconnect()
            return [shared.sink { _ in }]
        }
        expectNothingLeft("shareReplay") { source, tracked in
            let shared = source.map { keeping(tracked, $0) }.share(replay: 2)
            return [shared.sink { _ in }, shared]
        }
    }
}
