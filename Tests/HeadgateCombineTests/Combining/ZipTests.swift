import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class ZipTests: XCTestCase {
    func test_pairsValuesInOrder() {
        let recorder = Recorder<String, Never>(demand: .unlimited)
        [1, 2, 3].publisher.zip("ab".publisher) { "\($0)\($1)" }.subscribe(recorder)
        XCTAssertEqual(
            recorder.events, [.subscription("Zip"), .value("1a"), .value("2b"), .completion(.finished)])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_finishesWithAnEndlessSideOnEitherSide() {
        let endless = sequence(first: 2) { $0 }.publisher
        for publisher in [
            [1, 2, 3, 4].publisher.zip(endless).map { $0.0 * $0.1 }.eraseToAnyPublisher(),
            endless.zip([1, 2, 3, 4].publisher) { $0 * $1 }.eraseToAnyPublisher(),
        ] {
            let recorder = Recorder<Int, Never>(demand: .unlimited)
            publisher.subscribe(recorder)
            XCTAssertEqual(recorder.values, [2, 4, 6, 8])
            XCTAssertTrue(recorder.hasFinished)
            XCTAssertEqual(recorder.breaches, [])
        }
    }

    func test_servesDemandOneByOne() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { _, _ in .max(1) }
        (1...100).publisher.zip((1...100).publisher) { $0 + $1 }.subscribe(recorder)
        XCTAssertEqual(recorder.values, (1...100).map { $0 * 2 })
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_isFlatWhenDemandComesFromInsideDeliveries() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        (0..<100_000).publisher.zip((0..<100_000).publisher) { $0 - $1 }.subscribe(recorder)
        XCTAssertEqual(recorder.values.count, 100_000)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesDemandOnToBothSides() {
        let a = HandPublisher<Int, Never>()
        let b = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(2))
        a.zip(b) { $0 + $1 }.subscribe(recorder)
        recorder.request(3)
        XCTAssertEqual(a.calls, [.request(.max(2)), .request(.max(3))])
        XCTAssertEqual(b.calls, [.request(.max(2)), .request(.max(3))])
    }

    func test_doesNotCancelTheSideThatHasEnded() {
        let a = HandPublisher<Int, TestFailure>()
        let b = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .unlimited)
        a.zip(b) { $0 + $1 }.subscribe(recorder)
        a.send(completion: .failure(.first))
        XCTAssertEqual(recorder.failure, .first)
        XCTAssertEqual(a.cancelCount, 0)
        XCTAssertEqual(b.cancelCount, 1)
    }

    func test_letsGoOfEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let a = HandPublisher<Tracked, TestFailure>()
            let b = HandPublisher<Tracked, TestFailure>()
            var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited)
            weak let weakRecorder = recorder
            let tracked = Tracked()
            recorder.map { a.zip(b) { [tracked] _, _ in tracked === tracked ? 1 : 0 }.subscribe($0) }
            a.send(Tracked())
            switch end {
            case 0: b.finish()
            case 1: b.send(completion: .failure(.first))
            default: recorder?.cancel()
            }
            recorder = nil
            XCTAssertNil(weakRecorder)
            XCTAssertFalse(a.isConnected)
        }
        XCTAssertEqual(Tracked.count, before)
    }

    func test_zipsThreeAndFour() {
        let triples = Recorder<[Int], Never>(demand: .max(1)) { _, _ in .max(1) }
        [1, 2].publisher.zip([3, 4, 5].publisher, [6, 7].publisher) { [$0, $1, $2] }.subscribe(triples)
        XCTAssertEqual(triples.values, [[1, 3, 6], [2, 4, 7]])
        XCTAssertTrue(triples.hasFinished)

        let quadruples = Recorder<[Int], Never>(demand: .unlimited)
        [1, 2].publisher.zip([3, 4].publisher, [5, 6].publisher, [7, 8, 9].publisher) { [$0, $1, $2, $3] }
            .subscribe(quadruples)
        XCTAssertEqual(quadruples.values, [[1, 3, 5, 7], [2, 4, 6, 8]])
        XCTAssertTrue(quadruples.hasFinished)
        XCTAssertEqual(triples.breaches + quadruples.breaches, [])
    }

    func test_aFailureAmongFourCancelsTheOtherThree() {
        let sides = (0..<4).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>(demand: .max(1))
        sides[0].zip(sides[1], sides[2], sides[3]) { $0 + $1 + $2 + $3 }.subscribe(recorder)
        sides[2].send(completion: .failure(.second))
        XCTAssertEqual(recorder.failure, .second)
        XCTAssertEqual(sides.map(\.cancelCount), [1, 1, 0, 1])
    }

    func test_pairsOfTwoDelayedSidesArriveThoughTheSidesHaveEndedAndNothingArrivesAfterCancel() {
        let before = Tracked.count
        let scheduler = TestScheduler()
        func delayedPairs() -> some Publisher<Tracked, Never> {
            (1...3).publisher.delay(for: 1, scheduler: scheduler)
                .zip((1...2).publisher.delay(for: 2, scheduler: scheduler)) { _, _ in Tracked() }
        }
        var pairs = 0
        var endings = 0
        let served = delayedPairs().sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in pairs += 1 })
        scheduler.runUntilIdle()
        XCTAssertEqual([pairs, endings], [2, 1])
        let cancelled = delayedPairs().sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in pairs += 1 })
        scheduler.advance(by: 1)
        cancelled.cancel()
        scheduler.runUntilIdle()
        XCTAssertEqual([pairs, endings], [2, 1])
        XCTAssertEqual(Tracked.count, before)
        served.cancel()
    }
}
