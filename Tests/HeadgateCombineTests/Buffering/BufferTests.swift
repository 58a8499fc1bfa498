import HeadgateCombine
import TestSupport
import XCTest

final class BufferTests: XCTestCase {
    private typealias Hand = HandPublisher<Int, TestFailure>

    func test_byRequestAsksForEverythingAndKeepsWhatItCan() {
        for (whenFull, expected) in [
            (Publishers.BufferingStrategy<TestFailure>.dropNewest, [1, 2]), (.dropOldest, [3, 4]),
        ] {
            let upstream = Hand()
            let recorder = Recorder<Int, TestFailure>()
            upstream.buffer(size: 2, prefetch: .byRequest, whenFull: whenFull).subscribe(recorder)
            XCTAssertEqual(recorder.events, [.subscription("Buffer")])
            for value in 1...4 { XCTAssertEqual(upstream.send(value), .none) }
            recorder.request(1)
            recorder.request(2)
            upstream.send(5)
            XCTAssertEqual(upstream.calls, [.request(.unlimited)])
            XCTAssertEqual(recorder.values, expected + [5])
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_keepFullAsksForWhatThereIsRoomFor() {
        let upstream = Hand()
        let recorder = Recorder<Int, TestFailure>()
        upstream.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        for value in 1...3 { upstream.send(value) }
        recorder.request(2)
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(2))])
        recorder.request(2)
        XCTAssertEqual(upstream.send(4), .max(1))
        XCTAssertEqual(upstream.send(5), .none)
        XCTAssertEqual(recorder.values, [1, 2, 3, 4])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_keepFullLosesNothingOfASequence() {
        for size in [1, 2, 7] {
            let returning = Recorder<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
            let requesting = Recorder<Int, Never>(demand: .max(2)) { recorder, value in
                if value.isMultiple(of: 2) { recorder.request(2) }
                return .none
            }
            for recorder in [returning, requesting] {
                (1...10_000).publisher.buffer(size: size, prefetch: .keepFull, whenFull: .dropOldest)
                    .subscribe(recorder)
                XCTAssertEqual(recorder.values, Array(1...10_000))
                XCTAssertTrue(recorder.hasFinished)
                XCTAssertEqual(recorder.breaches, [])
            }
        }
    }

    func test_failsWithTheErrorOfTheClosureBehindWhatWasKept() {
        let upstream = Hand()
        let recorder = Recorder<Int, TestFailure>()
        upstream.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .second }).subscribe(recorder)
        for value in 1...4 { upstream.send(value) }
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertNil(recorder.completion)
        recorder.request(2)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.failure, .second)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_theCompletionWaitsBehindWhatWasKept() {
        for completion in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let upstream = Hand()
            let recorder = Recorder<Int, TestFailure>()
            upstream.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
            upstream.send(1)
            upstream.send(completion: completion)
            XCTAssertNil(recorder.completion)
            recorder.request(1)
            XCTAssertEqual(recorder.values, [1])
            XCTAssertEqual(recorder.completion, completion)
            XCTAssertEqual(upstream.cancelCount, 0)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_anEmptyBufferNeedsNoDemandToComplete() {
        let recorder = Recorder<Int, Never>()
        [Int]().publisher.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).subscribe(recorder)
        XCTAssertEqual(recorder.events, [.subscription("Buffer"), .completion(.finished)])
    }

    func test_aBufferOfNothingPassesOnWhatIsAskedFor() {
        let upstream = Hand()
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        upstream.buffer(size: 0, prefetch: .byRequest, whenFull: .dropOldest).subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        recorder.request(1)
        upstream.send(3)
        XCTAssertEqual(recorder.values, [1, 3])
    }

    func test_stopsAnEndlessSequenceWhenCancelledFromInsideADelivery() {
        let recorder = Recorder<Int, Never>(demand: .unlimited) { recorder, value in
            if value == 100 { recorder.cancel() }
            return .none
        }
        sequence(first: 1) { $0 + 1 }.publisher.buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)
            .subscribe(recorder)
        XCTAssertEqual(recorder.values, Array(1...100))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_letsGoOfEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let upstream = HandPublisher<Tracked, TestFailure>()
            var recorder: Recorder<Int, TestFailure>? = Recorder()
            weak let weakRecorder = recorder
            recorder.map {
                upstream.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { .second }).map { _ in 1 }
                    .subscribe($0)
            }
            upstream.send(Tracked())
            switch end {
            case 0:
                upstream.finish()
                recorder?.request(1)
            case 1:
                upstream.send(Tracked())
                upstream.send(Tracked())
                recorder?.request(2)
            default: recorder?.cancel()
            }
            XCTAssertEqual(Tracked.count, before)
            recorder = nil
            XCTAssertNil(weakRecorder)
            XCTAssertFalse(upstream.isConnected)
        }
    }

    func test_losesNothingWhenValuesAndDemandComeFromTwoThreads() {
        let upstream = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>()
        upstream.buffer(size: 10_000, prefetch: .byRequest, whenFull: .dropNewest).subscribe(recorder)
        let subscription = recorder.subscription
        onThreads(2) { index in
            for value in 0..<10_000 {
                if index == 0 { upstream.send(value) } else { subscription?.request(.max(1)) }
            }
        }
        XCTAssertEqual(recorder.values, Array(0..<10_000))
    }
}
