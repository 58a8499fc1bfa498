import HeadgateCombine
import HeadgateEngine
import Synchronization
import TestSupport
import XCTest

@testable import HeadgateTesting
@testable import HeadgateVerification

final class OnceConduitTests: XCTestCase {
    private func check(_ alphabet: [ScriptAction]) {
        explore(alphabet, upTo: 6, lateActs: 2) { try ServingModel(count: 1).play($0, to: Just(1)).standing }
    }

    func test_keepsToTheModelInEveryOrderOfRequestsAndCancel() {
        check([.request(.none), .request(.max(1)), .request(.max(2)), .request(.unlimited), .cancel])
    }

    func test_keepsToTheModelWhateverHappensInsideTheDelivery() {
        let reactions: [Reaction] = [
            .request(.none), .request(.max(1)), .request(.max(2)), .request(.unlimited), .answer(.max(1)),
            .answer(.max(2)), .answer(.unlimited), .cancel,
        ]
        for reaction in reactions { check([.request(.none), .request(.max(1)), .cancel, .react(reaction)]) }
    }

    func test_deliversOnceWhenSeveralThreadsRequestAndOneCancels() {
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
            let (received, ended) = (values.load(ordering: .acquiring), completions.load(ordering: .acquiring))
            if cancels {
                XCTAssertLessThanOrEqual(received, 1)
                XCTAssertLessThanOrEqual(ended, received)
            } else {
                XCTAssertEqual([received, ended], [1, 1])
            }
        }
    }

    func test_releasesValueAndSubscriberHoweverItEnds() {
        assertReleases { Just($0) }
    }
}
