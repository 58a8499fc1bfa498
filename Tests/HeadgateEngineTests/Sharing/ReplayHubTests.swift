import TestSupport
import XCTest

import HeadgateCombine
import HeadgateEngine

/// Every order of what can happen to a replaying hub, up to length five, against a model.
final class ReplayHubTests: XCTestCase {
    private enum Step: CaseIterable {
        case send, finish, request, cancel, join
    }

    private static let sequences: [[Step]] = (0..<5).reduce([[]]) { sequences, _ in
        sequences.flatMap { sequence in Step.allCases.map { sequence + [$0] } }
    }

    private func check(_ steps: [Step], capacity: Int) {
        let upstream = HandPublisher<Int, Never>()
        let hub = ReplayHub<Int, Never>(capacity: capacity) { upstream.receive(subscriber: $0) }
        let all = Recorder<Int, Never>(demand: .unlimited)
        let slow = Recorder<Int, Never>()
        hub.attach(all)
        hub.attach(slow)
        var late: [(recorder: Recorder<Int, Never>, start: Int)] = []
        var sent: [Int] = []
        var requests = 0
        var heardAtCancel: Int?
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
                heardAtCancel = heardAtCancel ?? min(requests, sent.count)
                // Having heard everything, it has heard the end too, and can't cancel any more.
                slow.cancel()
            case .join:
                let recorder = Recorder<Int, Never>(demand: .unlimited)
                hub.attach(recorder)
                late.append((recorder, max(0, sent.count - capacity)))
            }
        }
        let heard = heardAtCancel ?? min(requests, sent.count)
        XCTAssertEqual(all.values, sent, "\(steps)")
        XCTAssertEqual(all.hasFinished, hasFinished, "\(steps)")
        XCTAssertEqual(slow.values, Array(sent.prefix(heard)), "\(steps)")
        if heardAtCancel == nil {
            XCTAssertEqual(slow.hasFinished, hasFinished && heard == sent.count, "\(steps)")
        }
        for (recorder, start) in late {
            XCTAssertEqual(recorder.values, Array(sent[start...]), "\(steps)")
            XCTAssertEqual(recorder.hasFinished, hasFinished, "\(steps)")
        }
        XCTAssertEqual(all.breaches + slow.breaches + late.flatMap(\.recorder.breaches), [], "\(steps)")
        XCTAssertEqual(upstream.calls, [.request(.unlimited)], "\(steps)")
    }

    func test_everyOrderOfSendRequestFinishCancelAndJoinIsHeardAsTheModelSays() {
        for steps in Self.sequences { check(steps, capacity: 2) }
    }

    func test_capacityZeroAndOneAreNoSpecialCases() {
        for steps in Self.sequences where steps.first == .send {
            check(steps, capacity: 0)
            check(steps, capacity: 1)
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
            ReplayLog<Tracked>.release(reader)
            XCTAssertEqual(Tracked.count, before)
        }
    }
}
