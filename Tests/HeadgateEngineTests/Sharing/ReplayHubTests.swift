import Headgate
import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// Every order of what can happen to a replaying hub, up to length five, against a model.
final class ReplayHubTests: XCTestCase {
    private enum Step: CaseIterable {
        case send, finish, request, cancel, join
    }

    private func check(_ steps: [Step], capacity: Int) throws {
        let upstream = TestPublisher<Int, Never>()
        let hub = ReplayHub<Int, Never>(capacity: capacity) { upstream.receive(subscriber: $0) }
        let all = TestSubscriber<Int, Never>(.unlimited)
        let slow = TestSubscriber<Int, Never>()
        hub.attach(all)
        hub.attach(slow)
        var late: [(subscriber: TestSubscriber<Int, Never>, start: Int)] = []
        var sent: [Int] = []
        var requests = 0
        var receivedAtCancel: Int?
        var hasFinished = false
        for (number, step) in steps.enumerated() {
            switch step {
            case .send:
                upstream.send(number)
                if !hasFinished { sent.append(number) }
            case .finish:
                upstream.finish()
                hasFinished = true
            case .request:
                slow.request(1)
                requests += 1
            case .cancel:
                receivedAtCancel = receivedAtCancel ?? min(requests, sent.count)
                // Having heard everything, it has heard the end too, and can't cancel any more.
                slow.cancel()
            case .join:
                let subscriber = TestSubscriber<Int, Never>(.unlimited)
                hub.attach(subscriber)
                late.append((subscriber, max(0, sent.count - capacity)))
            }
        }
        let received = receivedAtCancel ?? min(requests, sent.count)
        try expect("all.values", all.values, sent)
        try expect("all.hasFinished", all.hasFinished, hasFinished)
        try expect("slow.values", slow.values, Array(sent.prefix(received)))
        if receivedAtCancel == nil {
            try expect("slow.hasFinished", slow.hasFinished, hasFinished && received == sent.count)
        }
        for (subscriber, start) in late {
            try expect("subscriber.values", subscriber.values, Array(sent[start...]))
            try expect("subscriber.hasFinished", subscriber.hasFinished, hasFinished)
        }
        try expect("breaches", all.breaches + slow.breaches + late.flatMap(\.subscriber.breaches), [])
        try expect("upstream.calls", upstream.calls, [.request(.unlimited)])
    }

    func test_everyOrderOfSendRequestFinishCancelAndJoinIsReceivedAsTheModelSays() {
        explore(Step.allCases, upTo: 5, atLeast: 3_906) { steps in
            try check(steps, capacity: 2)
            return .open
        }
    }

    func test_capacityZeroAndOneAreNoSpecialCases() {
        explore(Step.allCases, upTo: 4, after: [[.send]], atLeast: 781) { steps in
            try check(steps, capacity: 0)
            try check(steps, capacity: 1)
            return .open
        }
    }

    func test_freesALogOfAHundredThousandCellsWithoutRecursion() {
        let before = Tracked.count
        do {
            var log = ReplayLog<Tracked>(capacity: .max)
            let reader = log.beginReading()
            for _ in 0..<100_000 { log.append(Tracked()) }
            XCTAssertEqual(log.count, 100_000)
            log = ReplayLog(capacity: 3)
            XCTAssertEqual(Tracked.count, before + 100_000, "the reader keeps what it has not read")
            ReplayLog<Tracked>.release(reader) { $0.deallocate() }
            XCTAssertEqual(Tracked.count, before)
        }
    }
}
