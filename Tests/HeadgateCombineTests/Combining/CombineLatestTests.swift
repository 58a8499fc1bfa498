import HeadgateCombine
import TestSupport
import XCTest

final class CombineLatestTests: XCTestCase {
    func test_combinesTheLatestValues() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<String, Never>()
        let recorder = Recorder<String, Never>(demand: .unlimited)
        a.combineLatest(b) { "\($0)\($1)" }.subscribe(recorder)
        a.send(1)
        a.send(2)
        b.send("a")
        a.send(3)
        b.send("b")
        a.send(completion: .finished)
        b.send("c")
        XCTAssertNil(recorder.completion)
        b.send(completion: .finished)
        XCTAssertEqual(
            recorder.events,
            [
                .subscription("CombineLatest"), .value("2a"), .value("3a"), .value("3b"), .value("3c"),
                .completion(.finished),
            ])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesDemandOnToBothSides() {
        let a = HandPublisher<Int, Never>()
        let b = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(2)) { _, _ in .max(3) }
        a.combineLatest(b) { $0 + $1 }.subscribe(recorder)
        a.send(1)
        XCTAssertEqual(b.send(10), .max(3))
        XCTAssertEqual(a.calls, [.request(.max(2)), .request(.max(3))])
        XCTAssertEqual(b.calls, [.request(.max(2))])
    }

    func test_asksAgainForWhatCameBeforeTheOtherSideHadAnything() {
        let b = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(3))
        (1...10).publisher.combineLatest(b) { $0 + $1 }.subscribe(recorder)
        b.send(100)
        XCTAssertEqual(recorder.values, [103, 104, 105])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_theLastCombinationWaitsForDemand() {
        let a = HandPublisher<Int, Never>()
        let b = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(1))
        a.combineLatest(b) { $0 + $1 }.subscribe(recorder)
        a.send(1)
        b.send(10)
        b.send(20)
        b.send(30)
        a.finish()
        b.finish()
        XCTAssertEqual(recorder.values, [11])
        XCTAssertNil(recorder.completion)
        recorder.request(1)
        XCTAssertEqual(recorder.values, [11, 31])
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_isFlatWhenDemandComesOneByOne() {
        let recorder = Recorder<Int, Never>(demand: .max(1)) { recorder, value in
            if value.isMultiple(of: 2) { return .max(1) }
            recorder.request(1)
            return .none
        }
        (0..<20_000).publisher.combineLatest((0..<20_000).publisher) { $0 + $1 }.subscribe(recorder)
        XCTAssertEqual(recorder.values.last, 39_998)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_combinesThreeAndFour() {
        let sides = (0..<4).map { _ in HandPublisher<Int, TestFailure>() }
        let three = Recorder<[Int], TestFailure>(demand: .unlimited)
        sides[0].combineLatest(sides[1], sides[2]) { [$0, $1, $2] }.subscribe(three)
        for index in 0..<3 { sides[index].send(index) }
        sides[1].send(7)
        XCTAssertEqual(three.values, [[0, 1, 2], [0, 7, 2]])
        for index in 0..<3 { sides[index].finish() }
        XCTAssertTrue(three.hasFinished)

        let four = Recorder<[Int], TestFailure>(demand: .max(2))
        sides[0].combineLatest(sides[1], sides[2], sides[3]) { [$0, $1, $2, $3] }.subscribe(four)
        for index in 0..<4 { sides[index].send(index) }
        sides[3].send(9)
        XCTAssertEqual(four.values, [[0, 1, 2, 3], [0, 1, 2, 9]])
        sides[2].send(completion: .failure(.second))
        XCTAssertEqual(four.failure, .second)
        XCTAssertEqual(sides.map(\.cancelCount), [1, 1, 0, 1])
        XCTAssertEqual(three.breaches + four.breaches, [])
    }

    func test_letsGoOfEverythingAtTheEndAndAtCancel() {
        let before = Tracked.count
        for end in 0..<3 {
            let a = HandPublisher<Tracked, TestFailure>()
            let b = HandPublisher<Tracked, TestFailure>()
            var recorder: Recorder<Int, TestFailure>? = Recorder(demand: .unlimited)
            weak let weakRecorder = recorder
            recorder.map { a.combineLatest(b) { _, _ in 1 }.subscribe($0) }
            a.send(Tracked())
            b.send(Tracked())
            switch end {
            case 0:
                a.finish()
                b.finish()
            case 1: b.send(completion: .failure(.first))
            default: recorder?.cancel()
            }
            XCTAssertEqual(Tracked.count, before)
            recorder = nil
            XCTAssertNil(weakRecorder)
            XCTAssertFalse(a.isConnected || b.isConnected)
        }
    }
}
