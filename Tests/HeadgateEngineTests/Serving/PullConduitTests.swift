import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

@testable import HeadgateTesting
@testable import HeadgateVerification

final class PullConduitTests: XCTestCase {
    /// The numbers from one up, and how often an iterator was asked for one.
    private final class Numbers: Sequence {
        let count: Int
        var requested = 0

        init(count: Int) { self.count = count }

        func makeIterator() -> AnyIterator<Int> {
            var last = 0
            return AnyIterator {
                self.requested += 1
                if last == self.count { return nil }
                last += 1
                return last
            }
        }
    }

    private func check(_ alphabet: [ScriptAction], upTo length: Int, count: Int) {
        explore(alphabet, upTo: length, lateActs: 1) { script in
            let numbers = Numbers(count: count)
            let model = try ServingModel(count: count, knowsEnd: false).play(script, to: numbers.publisher)
            // Nothing is read that was not requested; and the iterator says once that it is at its end.
            try expect("reads", numbers.requested, model.delivered + (model.hasFinished ? 1 : 0))
            return model.standing
        }
        // A collection ends right after its last element.
        explore(alphabet, upTo: min(length, 4), lateActs: 1, atLeast: 80) { script in
            try ServingModel(count: count).play(script, to: Array(1...count).publisher).standing
        }
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndCancel() {
        let alphabet: [ScriptAction] = [
            .request(.none), .request(.max(1)), .request(.max(2)), .request(.unlimited), .cancel,
        ]
        for count in [1, 3, 9] { check(alphabet, upTo: 6, count: count) }
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndReactionsInsideDeliveries() {
        let alphabet: [ScriptAction] = [
            .request(.max(1)), .request(.max(2)), .cancel, .react(.request(.max(1))), .react(.answer(.max(1))),
            .react(.cancel),
        ]
        check(alphabet, upTo: 6, count: 4)
    }

    func test_keepsToTheModelWhateverTheReactionsToTheFirstFourValues() {
        let reactions: [Reaction] = [
            .request(.none), .request(.max(1)), .request(.max(2)), .request(.unlimited), .answer(.max(2)),
            .answer(.unlimited), .cancel,
        ]
        for demand in [Subscribers.Demand.max(1), .max(3), .unlimited] {
            explore(reactions.map(ScriptAction.react), upTo: 4, atLeast: 1 + 7 + 49 + 343 + 2401) { script in
                _ = try ServingModel(count: 7).play(script + [.request(demand)], to: (1...7).publisher)
                return .open
            }
        }
    }

    func test_deliversExactlyWhatSeveralThreadsRequest() {
        for _ in 0..<20 {
            let isInside = Atomic(false)
            let overlaps = Atomic(0)
            let values = Guarded<[Int]>([])
            let subscription = subscribe(to: 1...) { value in
                if isInside.exchange(true, ordering: .acquiring) { overlaps.add(1, ordering: .relaxed) }
                values.withLock { $0.append(value) }
                isInside.store(false, ordering: .releasing)
                return value.isMultiple(of: 10) ? .max(1) : .none
            }
            onThreads(4) { thread in
                for _ in 0..<225 { subscription.request(.max(thread.isMultiple(of: 2) ? 1 : 3)) }
            }
            // 1800 were asked for by requests, and one more in answer to every tenth.
            XCTAssertEqual(values.withLock { $0 }, Array(1...1999))
            XCTAssertEqual(overlaps.load(ordering: .acquiring), 0)
        }
    }

    func test_finishesOnceWhenSeveralThreadsRequestTheEnd() {
        for _ in 0..<50 {
            let count = Atomic(0)
            let completions = Atomic(0)
            let subscription = subscribe(to: 1...100) { _ in
                count.add(1, ordering: .relaxed)
                return .none
            } onCompletion: {
                completions.add(1, ordering: .relaxed)
            }
            onThreads(4) { thread in
                for _ in 0..<40 { subscription.request(.max(1)) }
                if thread == 3 { subscription.request(.unlimited) }
            }
            XCTAssertEqual(count.load(ordering: .acquiring), 100)
            XCTAssertEqual(completions.load(ordering: .acquiring), 1)
        }
    }

    func test_stopsForEveryoneWhenOneThreadCancels() {
        for _ in 0..<50 {
            let isCancelled = Atomic(false)
            let late = Atomic(0)
            let subscription = subscribe(to: 1...) { _ in
                if isCancelled.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
                return .none
            }
            onThreads(3) { thread in
                if thread == 1 {
                    subscription.cancel()
                    isCancelled.store(true, ordering: .releasing)
                } else {
                    subscription.request(.unlimited)
                }
            }
            // The one that was under way.
            XCTAssertLessThanOrEqual(late.load(ordering: .acquiring), 1)
        }
    }

    /// Subscribes without requesting anything.
    private func subscribe<S: Sequence>(
        to sequence: S, onValue: @escaping (S.Element) -> Subscribers.Demand, onCompletion: @escaping () -> Void = {}
    ) -> any Subscription {
        var subscription: any Subscription = Subscriptions.empty
        sequence.publisher.subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 }, receiveValue: onValue,
                receiveCompletion: { _ in onCompletion() }))
        return subscription
    }

    func test_servesAMillionRequestsFromInsideDeliveriesWithoutGrowingTheStack() {
        let total = Scale.reduced(1_000_000)
        var count = 0
        var subscription: any Subscription = Subscriptions.empty
        (1...total).publisher.subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 },
                receiveValue: { _ in
                    count += 1
                    subscription.request(.max(1))
                    return .none
                }))
        subscription.request(.max(1))
        XCTAssertEqual(count, total)
    }

    func test_isNamedAfterTheSequence() {
        let subscriber = TestSubscriber<Int, Never>.checked()
        (1...3).publisher.subscribe(subscriber)
        XCTAssertEqual("\(subscriber.subscription.map { "\($0)" } ?? "")", "1...3")
    }

    func test_releasesIteratorAndSubscriberHoweverItEnds() {
        assertReleases(retainsSubscription: false) { tracked in
            var left = 2
            return AnyIterator { () -> Int? in
                _ = tracked
                left -= 1
                return left < 0 ? nil : left
            }.publisher
        }
    }
}
