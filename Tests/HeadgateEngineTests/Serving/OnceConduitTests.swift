import HeadgateCombine
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

final class OnceConduitTests: XCTestCase {
    private func check(_ alphabet: [ScriptAction]) {
        var scripts = 0
        forEachScript(over: alphabet, upTo: 6, count: 1) { script, model in
            scripts += 1
            let subscriber = ScriptSubscriber()
            Just(1).subscribe(subscriber)
            subscriber.perform(script)
            if subscriber.values.count != model.delivered || !subscriber.breaches.isEmpty
                || subscriber.completionCount != (model.hasFinished ? 1 : 0)
            {
                XCTFail(
                    """
                    \(script): \(subscriber.values), \(subscriber.completionCount) completions, \
                    \(subscriber.breaches); expected \(model)
                    """)
            }
        }
        XCTAssertGreaterThan(scripts, 100)
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndCancel() {
        check([.request(0), .request(1), .request(2), .request(nil), .cancel])
    }

    func test_keepsToTheModelWhateverHappensInsideTheDelivery() {
        let reactions: [ScriptAction.Reaction] = [
            .request(0), .request(1), .request(2), .request(nil), .answer(1), .answer(2), .answer(nil), .cancel,
        ]
        for reaction in reactions { check([.request(0), .request(1), .cancel, .insideNextDelivery(reaction)]) }
    }

    func test_deliversOnceWhenSeveralThreadsAskAndOneCancels() {
        for round in 0..<100 {
            let values = Atomic(0)
            let completions = Atomic(0)
            var subscription: any Subscription = Subscriptions.empty
            Just(1).subscribe(
                AnySubscriber(
                    receiveSubscription: { subscription = $0 },
                    receiveValue: { _ in
                        values.add(1, ordering: .relaxed)
                        return .max(1)
                    },
                    receiveCompletion: { _ in completions.add(1, ordering: .relaxed) }))
            let cancels = round.isMultiple(of: 2)
            onThreads(4) { thread in
                if cancels && thread == 2 { subscription.cancel() } else { subscription.request(.max(1)) }
            }
            let (heard, ended) = (values.load(ordering: .acquiring), completions.load(ordering: .acquiring))
            if cancels {
                XCTAssertLessThanOrEqual(heard, 1)
                XCTAssertLessThanOrEqual(ended, heard)
            } else {
                XCTAssertEqual([heard, ended], [1, 1])
            }
        }
    }

    func test_letsGoOfValueAndSubscriberHoweverItEnds() {
        assertLetsGo { Just($0) }
    }
}
