import HeadgateCombine
import TestSupport
import XCTest

final class SwitchToLatestTests: XCTestCase {
    private typealias Hand = HandPublisher<Int, TestFailure>

    func test_publishesWhatTheLatestPublishes() {
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        [[1, 2].publisher, [3].publisher].publisher.switchToLatest().subscribe(recorder)
        XCTAssertEqual(recorder.events.first, .subscription("SwitchToLatest"))
        XCTAssertEqual(recorder.values, [1, 2, 3])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_cancelsTheOneItLeavesAndCarriesTheDemandOver() {
        let upstream = HandPublisher<Hand, TestFailure>()
        let inners = (0..<2).map { _ in Hand() }
        let recorder = Recorder<Int, TestFailure>(demand: .max(3)) { _, value in value == 1 ? .max(2) : .none }
        upstream.switchToLatest().subscribe(recorder)
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        upstream.send(inners[0])
        XCTAssertEqual(inners[0].send(1), .max(2))
        upstream.send(inners[1])
        inners[0].send(7)
        recorder.request(1)
        XCTAssertEqual(inners[0].calls, [.request(.max(3)), .cancel])
        XCTAssertEqual(inners[1].calls, [.request(.max(4)), .request(.max(1))])
        inners[1].send(2)
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesWhenBothHaveFinished() {
        for upstreamIsFirst in [true, false] {
            let upstream = HandPublisher<Hand, TestFailure>()
            let inner = Hand()
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            upstream.switchToLatest().subscribe(recorder)
            upstream.send(inner)
            if upstreamIsFirst { upstream.finish() } else { inner.finish() }
            XCTAssertNil(recorder.completion)
            if upstreamIsFirst { inner.finish() } else { upstream.finish() }
            XCTAssertTrue(recorder.hasFinished)
            XCTAssertEqual(upstream.cancelCount + inner.cancelCount, 0)
        }
    }

    func test_aFailureOfEitherCancelsTheOther() {
        for upstreamFails in [true, false] {
            let upstream = HandPublisher<Hand, TestFailure>()
            let inner = Hand()
            let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
            upstream.switchToLatest().subscribe(recorder)
            upstream.send(inner)
            if upstreamFails {
                upstream.send(completion: .failure(.first))
            } else {
                inner.send(completion: .failure(.first))
            }
            XCTAssertEqual(recorder.failure, .first)
            XCTAssertEqual(upstream.cancelCount, upstreamFails ? 0 : 1)
            XCTAssertEqual(inner.cancelCount, upstreamFails ? 1 : 0)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_cancelInsideADeliveryReachesBoth() {
        let upstream = HandPublisher<Hand, TestFailure>()
        let inner = Hand()
        var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        weak let weakRecorder = recorder
        recorder.map { upstream.switchToLatest().subscribe($0) }
        upstream.send(inner)
        inner.send(1)
        inner.send(2)
        upstream.send(Hand())
        XCTAssertEqual(recorder?.values, [1])
        XCTAssertEqual([upstream.cancelCount, inner.cancelCount], [1, 1])
        recorder = nil
        XCTAssertNil(weakRecorder)
    }

    func test_isFlatForManyPublishersAndDemandOneByOne() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            if value.isMultiple(of: 2) { return .max(1) }
            recorder.request(1)
            return .none
        }
        (0..<20_000).publisher.map { CollectionOfOne($0).publisher }.switchToLatest().subscribe(recorder)
        XCTAssertEqual(recorder.values, Array(0..<20_000))
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_stopsAnEndlessPublisherWhenCancelledFromInsideADelivery() {
        let recorder = Recorder<Int, Never>(demand: .max(2)) { recorder, value in
            if value == 1 { recorder.request(.unlimited) }
            if value == 100 { recorder.cancel() }
            return .none
        }
        [sequence(first: 0) { $0 + 1 }.publisher].publisher.switchToLatest().subscribe(recorder)
        XCTAssertEqual(recorder.values, Array(0...100))
    }

    func test_keepsOneOrderWhenTwoThreadsSendAndSwitch() {
        let upstream = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let inners = (0..<1_000).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        upstream.switchToLatest().subscribe(recorder)
        onThreads(2) { thread in
            for (index, inner) in inners.enumerated() {
                if thread == 0 { upstream.send(inner) } else { inner.send(index) }
            }
        }
        XCTAssertEqual(recorder.values, recorder.values.sorted())
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_widensFailureTypes() {
        let never = PassthroughSubject<Hand, Never>()
        let inner = Hand()
        let first = Recorder<Int, TestFailure>(demand: .unlimited)
        never.switchToLatest().subscribe(first)
        never.send(inner)
        inner.send(completion: .failure(.second))
        XCTAssertEqual(first.failure, .second)

        let failing = HandPublisher<Publishers.Sequence<[Int], Never>, TestFailure>()
        let second = Recorder<Int, TestFailure>(demand: .unlimited)
        failing.switchToLatest().subscribe(second)
        failing.send([1, 2].publisher)
        failing.send(completion: .failure(.first))
        XCTAssertEqual(second.values, [1, 2])
        XCTAssertEqual(second.failure, .first)
    }
}
