import Headgate
import HeadgateTesting
import XCTest

final class StepVerifierTests: XCTestCase {
    private func failures<Output, Failure>(of verifier: StepVerifier<Output, Failure>) -> [String] {
        var failures: [String] = []
        verifier.verify { message, _, _ in failures.append(message.split(separator: "\n").first.map(String.init) ?? "")
        }
        return failures
    }

    func test_followsAStreamToItsEnd() {
        StepVerifier((1...3).publisher)
            .expectNothing()
            .request(2)
            .expect(1, 2)
            .expectNothing()
            .request(1)
            .expect(matching: "an odd number") { !$0.isMultiple(of: 2) }
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_letsTimePass() {
        let scheduler = TestScheduler()
        let source = TestPublisher<Int, TestError>()
        source.play("--1--x", on: scheduler, failure: .second)
        StepVerifier(source, demand: .unlimited, scheduler: scheduler)
            .advance(by: .seconds(1))
            .expectNothing()
            .advance(by: .seconds(1))
            .expect(1)
            .advance(by: .seconds(3))
            .expectFailure(.second)
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_failsOnTheFirstThingThatWasNotExpected() {
        let steps = StepVerifier((1...3).publisher).request(3)
        XCTAssertEqual(failures(of: steps.expect(1, 5).expect(9)), ["step 2: expected 5, but received 2"])
        XCTAssertEqual(failures(of: steps.expectNothing()), ["step 2: expected nothing, but received 1"])
        XCTAssertEqual(
            failures(of: steps.expect(1, 2, 3, 4)), ["step 2: expected 4, but the stream finished"])
        XCTAssertEqual(
            failures(of: steps.expect(1, 2).expectFinish()), ["step 3: expected the stream to finish, but received 3"])
        XCTAssertEqual(
            failures(of: StepVerifier((1...3).publisher, timeout: 5).request(1).expect(1, 2)),
            ["step 2: expected 2, but received nothing"])
    }

    func test_blamesTheLineOfTheStep() {
        var blamed: UInt = 0
        let line: UInt = #line + 1
        StepVerifier((1...3).publisher).request(1).expect(2).verify { _, _, line in blamed = line }
        XCTAssertEqual(blamed, line)
    }

    func test_failsOnWhatIsLeftOver() {
        XCTAssertEqual(
            failures(of: StepVerifier((1...3).publisher).request(2).expect(1).cancel()), ["not expected: 2"])
        XCTAssertEqual(
            failures(of: StepVerifier((1...3).publisher).request(3).expect(1, 2, 3)),
            ["not expected: the stream finished"])
        XCTAssertEqual(
            failures(of: StepVerifier((1...3).publisher).request(1).expect(1)),
            ["the stream was left open: end the steps with a completion or cancel()"])
    }

    func test_failsOnABreachOfTheContract() {
        let steps = StepVerifier(MisbehavingPublisher<Int, Never>(.oneValueTooMany)).request(1).expect(1, 2).cancel()
        XCTAssertEqual(failures(of: steps), ["\(Breach(.valuesAgainstDemand, "a value without demand"))"])
    }

    func test_failsOnATimerLeftBehind() {
        let scheduler = TestScheduler()
        let timer = scheduler.schedule(after: scheduler.now, interval: 1) {}
        let steps = StepVerifier((1...3).publisher, scheduler: scheduler).cancel()
        XCTAssertEqual(failures(of: steps), ["a timer was left pending at 0s, every 1s"])
        timer.cancel()
    }

    func test_performsWhatElseIsToBeDone() {
        let subject = PassthroughSubject<String, TestError>()
        StepVerifier(subject, demand: .max(1))
            .perform { subject.send("a") }
            .perform { subject.send("b") }
            .expect("a")
            .perform { subject.send(completion: .failure(.first)) }
            .expectFailure(.first)
            .verify { XCTFail($0, file: $1, line: $2) }
    }
}
