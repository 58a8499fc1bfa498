import HeadgateCombine
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

final class PullConduitTests: XCTestCase {
    /// The numbers from one up, and how often an iterator was asked for one.
    private final class Numbers: Sequence {
        let count: Int
        var asked = 0

        init(count: Int) { self.count = count }

        func makeIterator() -> AnyIterator<Int> {
            var last = 0
            return AnyIterator {
                self.asked += 1
                if last == self.count { return nil }
                last += 1
                return last
            }
        }
    }

    private func check(_ alphabet: [ScriptAction], upTo length: Int, count: Int) {
        var scripts = 0
        forEachScript(over: alphabet, upTo: length, count: count, knowsEnd: false) { script, model in
            scripts += 1
            let numbers = Numbers(count: count)
            let subscriber = ScriptSubscriber()
            numbers.publisher.subscribe(subscriber)
            subscriber.perform(script)
            // Nothing is read that was not requested; and the iterator says once that it is at its end.
            let asked = model.delivered + (model.hasFinished ? 1 : 0)
            if subscriber.values != Array(1..<(model.delivered + 1))
                || subscriber.completionCount != (model.hasFinished ? 1 : 0)
                || !subscriber.breaches.isEmpty || numbers.asked != asked
            {
                XCTFail(
                    """
                    \(script) of \(count): \(subscriber.values), \(subscriber.completionCount) completions, \
                    \(subscriber.breaches), asked \(numbers.asked) times; expected \(model)
                    """)
            }
        }
        XCTAssertGreaterThan(scripts, 100)
        // A collection ends right after its last element.
        forEachScript(over: alphabet, upTo: min(length, 4), count: count) { script, model in
            let subscriber = ScriptSubscriber()
            Array(1...count).publisher.subscribe(subscriber)
            subscriber.perform(script)
            if subscriber.values != Array(1..<(model.delivered + 1))
                || subscriber.completionCount != (model.hasFinished ? 1 : 0) || !subscriber.breaches.isEmpty
            {
                XCTFail("\(script) of \(count): \(subscriber.values), expected \(model)")
            }
        }
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndCancel() {
        let alphabet: [ScriptAction] = [.request(0), .request(1), .request(2), .request(nil), .cancel]
        for count in [1, 3, 9] { check(alphabet, upTo: 6, count: count) }
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndReactionsInsideDeliveries() {
        let alphabet: [ScriptAction] = [
            .request(1), .request(2), .cancel, .insideNextDelivery(.request(1)), .insideNextDelivery(.answer(1)),
            .insideNextDelivery(.cancel),
        ]
        check(alphabet, upTo: 6, count: 4)
    }

    func test_keepsToTheModelWhateverTheReactionsToTheFirstFourValues() {
        let reactions: [ScriptAction.Reaction] = [
            .request(0), .request(1), .request(2), .request(nil), .answer(2), .answer(nil), .cancel,
        ]
        for demand in [1, 3, nil] {
            var scripts = 0
            for length in 0...4 {
                var indices = Array(repeating: 0, count: length)
                repeat {
                    scripts += 1
                    let script = indices.map { ScriptAction.insideNextDelivery(reactions[$0]) } + [.request(demand)]
                    var model = ScriptModel(count: 7)
                    for action in script { model.perform(action) }
                    let subscriber = ScriptSubscriber()
                    (1...7).publisher.subscribe(subscriber)
                    subscriber.perform(script)
                    if subscriber.values.count != model.delivered || !subscriber.breaches.isEmpty
                        || subscriber.completionCount != (model.hasFinished ? 1 : 0)
                    {
                        XCTFail("\(script): \(subscriber.values), \(subscriber.breaches); expected \(model)")
                    }
                } while advance(&indices, below: reactions.count)
            }
            XCTAssertEqual(scripts, 1 + 7 + 49 + 343 + 2401)
        }
    }

    private func advance(_ indices: inout [Int], below limit: Int) -> Bool {
        for position in indices.indices {
            indices[position] += 1
            if indices[position] < limit { return true }
            indices[position] = 0
        }
        return false
    }

    func test_deliversExactlyWhatSeveralThreadsAskFor() {
        for _ in 0..<20 {
            let isInside = Atomic(false)
            let overlaps = Atomic(0)
            let values = Mutex<[Int]>([])
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

    func test_finishesOnceWhenSeveralThreadsAskForTheEnd() {
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

    /// Subscribes without asking for anything.
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
        var count = 0
        var subscription: any Subscription = Subscriptions.empty
        (1...1_000_000).publisher.subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 },
                receiveValue: { _ in
                    count += 1
                    subscription.request(.max(1))
                    return .none
                }))
        subscription.request(.max(1))
        XCTAssertEqual(count, 1_000_000)
    }

    func test_isNamedAfterTheSequence() {
        let recorder = Recorder<Int, Never>()
        (1...3).publisher.subscribe(recorder)
        XCTAssertEqual("\(recorder.subscription.map { "\($0)" } ?? "")", "1...3")
    }

    func test_letsGoOfIteratorAndSubscriberHoweverItEnds() {
        assertLetsGo(keepsSubscription: false) { tracked in
            var left = 2
            return AnyIterator { () -> Int? in
                _ = tracked
                left -= 1
                return left < 0 ? nil : left
            }.publisher
        }
    }
}
