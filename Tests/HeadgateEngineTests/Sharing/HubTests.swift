import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// Every order of what can happen to a hub and one of its subscribers, up to length six, against a model.
final class HubTests: XCTestCase {
    private enum Step: CaseIterable {
        case send, finish, request, cancel
    }

    /// What a subscriber ought to hear.
    private struct Model {
        let hasMemory: Bool
        var values: [Int] = []
        var hasFinished = false
        var demand = 0
        var isOpen = true
        var hasMissed: Bool
        var latest = 0

        init(hasMemory: Bool) {
            self.hasMemory = hasMemory
            hasMissed = hasMemory
        }

        mutating func take(_ step: Step, _ number: Int) {
            guard isOpen else { return }
            switch step {
            case .send:
                latest = number
                hasMissed = hasMemory
                deliver(number)
            case .request:
                demand += 1
                if hasMissed { deliver(latest) }
            case .finish:
                hasFinished = true
                isOpen = false
            case .cancel:
                isOpen = false
            }
        }

        private mutating func deliver(_ number: Int) {
            guard demand > 0 else { return }
            demand -= 1
            hasMissed = false
            values.append(number)
        }
    }

    private func perform(_ step: Step, _ number: Int, _ hub: Hub<Int, Never>, _ subscriber: TestSubscriber<Int, Never>)
    {
        switch step {
        case .send: hub.send(number)
        case .finish: hub.send(completion: .finished)
        case .request: subscriber.request(1)
        case .cancel: subscriber.cancel()
        }
    }

    func test_everyOrderOfSendRequestFinishAndCancelIsReceivedAsTheModelSays() {
        for hasMemory in [false, true] {
            explore(Step.allCases, upTo: 6, atLeast: 5_461) { steps in
                let hub = Hub<Int, Never>(.passthroughSubject, latest: hasMemory ? 0 : nil)
                let subscriber = TestSubscriber<Int, Never>()
                var model = Model(hasMemory: hasMemory)
                hub.attach(subscriber)
                for (number, step) in steps.enumerated() {
                    perform(step, number + 1, hub, subscriber)
                    model.take(step, number + 1)
                }
                try expect("values", subscriber.values, model.values)
                try expect("has finished", subscriber.hasFinished, model.hasFinished)
                try expect("breaches", subscriber.breaches, [])
                return .open
            }
        }
    }

    func test_everyOrderFromInsideADeliveryIsReceivedAfterThatDelivery() {
        for hasMemory in [false, true] {
            explore(Step.allCases, upTo: 6, atLeast: 5_461) { steps in
                let hub = Hub<Int, Never>(.passthroughSubject, latest: hasMemory ? 0 : nil)
                let subscriber = TestSubscriber<Int, Never>()
                var receivedInside: [Int] = []
                // The subscriber stands in front of the one that does everything: it has had its turn by then.
                hub.attach(subscriber)
                hub.attach(
                    AnySubscriber<Int, Never>(
                        receiveSubscription: { $0.request(.unlimited) },
                        receiveValue: { value in
                            guard value == 10 else { return .none }
                            for (number, step) in steps.enumerated() {
                                self.perform(step, number + 11, hub, subscriber)
                                // Who cancels hears nothing of what waits, and demand counts from the moment it comes.
                                if step == .cancel { break }
                            }
                            receivedInside = subscriber.values
                            return .none
                        }))
                hub.send(10)
                try expect("heard inside the delivery to another", receivedInside, [])
                let requests = steps.prefix { $0 != .cancel }.filter { $0 == .request }.count
                if steps.contains(.cancel) {
                    try expect("values", subscriber.values, [])
                } else {
                    // All demand is there before the first of the values that wait.
                    let expected = Self.expected(steps, requests: requests, hasMemory: hasMemory)
                    try expect("values", subscriber.values, expected)
                    try expect("has finished", subscriber.hasFinished, steps.contains(.finish))
                }
                try expect("breaches", subscriber.breaches, [])
                return .open
            }
        }
    }

    /// What is heard where all demand is there at once, and everything else waits in order.
    private static func expected(_ steps: [Step], requests: Int, hasMemory: Bool) -> [Int] {
        var demand = requests
        var latest = 10
        var hasMissed = hasMemory
        var received: [Int] = []
        var hasRequested = false
        for (number, step) in steps.enumerated() {
            switch step {
            case .finish:
                return received
            case .send:
                latest = number + 11
                if demand > 0 {
                    demand -= 1
                    hasMissed = false
                    received.append(latest)
                }
            case .request:
                // Only the request that raises demand from none brings what was missed.
                if !hasRequested, hasMissed, demand > 0 {
                    demand -= 1
                    hasMissed = false
                    received.append(latest)
                }
                hasRequested = true
            case .cancel:
                break
            }
        }
        return received
    }

    func test_joinsThatCrossTheEndReceiveTheSubscriptionFirst() {
        for _ in 0..<300 {
            let hub = Hub<Int, Never>(.passthroughSubject, latest: nil)
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            onThreads(2) { thread in
                if thread == 0 { hub.send(completion: .finished) } else { hub.attach(subscriber) }
            }
            XCTAssertTrue(subscriber.hasFinished)
        }
    }
}
