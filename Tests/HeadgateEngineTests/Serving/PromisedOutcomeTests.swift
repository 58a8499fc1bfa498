import HeadgateTesting
import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine
import HeadgateVerification

final class PromisedOutcomeTests: XCTestCase {
    private enum Action: CaseIterable {
        case requestNone, requestOne, requestEverything, succeed, fail, cancel
    }

    private enum Reaction: CaseIterable {
        case nothing, answer, request, cancel, fulfill
    }

    /// What a subscriber of a future should hear.
    private struct Model {
        var outcome: Result<Int, TestFailure>?
        var isRequested = false
        var isOver = false
        var received: [String] = []

        mutating func perform(_ action: Action, _ reaction: Reaction) {
            switch action {
            case .requestNone: break
            case .requestOne, .requestEverything: isRequested = true
            case .succeed: outcome = outcome ?? .success(7)
            case .fail: outcome = outcome ?? .failure(.first)
            case .cancel: isOver = true
            }
            if isOver { return }
            if case .failure = outcome {
                received = ["failure"]
                isOver = true
            } else if case .success = outcome, isRequested {
                received = reaction == .cancel ? ["7"] : ["7", "finished"]
                isOver = true
            }
        }
    }

    private func check(_ script: [Action], _ reaction: Reaction) throws -> ScriptFrontier<Action>.Standing {
        var model = Model()
        for action in script { model.perform(action, reaction) }
        var fulfill: (Result<Int, TestFailure>) -> Void = { _ in }
        let future = Future<Int, TestFailure> { fulfill = $0 }
        var received: [String] = []
        var subscription: any Subscription = Subscriptions.empty
        future.subscribe(
            AnySubscriber(
                receiveSubscription: { subscription = $0 },
                receiveValue: { value in
                    received.append("\(value)")
                    switch reaction {
                    case .nothing: break
                    case .answer: return .unlimited
                    case .request: subscription.request(.max(1))
                    case .cancel: subscription.cancel()
                    case .fulfill: fulfill(.failure(.second))
                    }
                    return .none
                },
                receiveCompletion: { received.append($0 == .finished ? "finished" : "failure") }))
        for action in script {
            switch action {
            case .requestNone: subscription.request(.none)
            case .requestOne: subscription.request(.max(1))
            case .requestEverything: subscription.request(.unlimited)
            case .succeed: fulfill(.success(7))
            case .fail: fulfill(.failure(.first))
            case .cancel: subscription.cancel()
            }
        }
        try expect("heard with \(reaction) inside the delivery", received, model.received)
        return .open
    }

    func test_keepsToTheModelInEveryOrder() {
        explore(Action.allCases, upTo: 5, atLeast: 7776) { try check($0, .nothing) }
    }

    func test_keepsToTheModelWhateverHappensInsideTheDelivery() {
        for reaction in Reaction.allCases {
            explore(Action.allCases, upTo: 4, atLeast: 1296) { try check($0, reaction) }
        }
    }

    func test_releasesADeliveryThatComesAfterACancel() {
        let before = Tracked.count
        var leaves = 0
        let conduit = OnceConduit(name: "Promise", leave: { _ in leaves += 1 })
        conduit.request(.max(1))
        conduit.cancel()
        conduit.cancel()
        let tracked = Tracked()
        conduit.fulfill { _ in XCTFail("\(tracked) was delivered after a cancel.") }
        XCTAssertEqual(leaves, 1)
        XCTAssertNil(conduit.delivery)
        withExtendedLifetime(tracked) { XCTAssertEqual(Tracked.count, before + 1) }
    }

    func test_releasesADeliveryThatWaitsForDemandWhenItIsCancelled() {
        let conduit = OnceConduit(name: "Promise", leave: { _ in })
        conduit.fulfill { _ in XCTFail("Nobody has asked.") }
        XCTAssertNotNil(conduit.delivery)
        conduit.cancel()
        XCTAssertNil(conduit.delivery)
        conduit.request(.max(1))
    }
}
