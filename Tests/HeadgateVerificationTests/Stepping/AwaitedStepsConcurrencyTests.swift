import Dispatch
import Headgate
import HeadgateTesting
import XCTest

/// Steps that suspend follow streams on queues, in tasks and on the actor of the test, and none passes by luck.
final class AwaitedStepsConcurrencyTests: XCTestCase {
    func test_stepsAwaitValuesFromOtherThreads() async {
        for (_, hop) in HoppingCountdown.places {
            await StepVerifier(HoppingCountdown(hop: hop))
                .request(2)
                .expect(6, 5)
                .request(1)
                .expect(matching: "an even number") { $0.isMultiple(of: 2) }
                .requestEverything()
                .expect(count: 1)
                .skip { $0 > 1 }
                .expect(1)
                .expectFinish()
                .verify { XCTFail($0, file: $1, line: $2) }
        }
    }

    /// A test that blocked the actor would keep from arriving what it waits for.
    @MainActor func test_whatTheTestsOwnActorDeliversArrives() async {
        let subject = PassthroughSubject<Int, Never>()
        await StepVerifier(subject, demand: .unlimited)
            .perform { Task { @MainActor in for value in 1...3 { subject.send(value) } } }
            .expect(1, 2, 3)
            .perform { Task { @MainActor in subject.send(completion: .finished) } }
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_followsAnAsynchronousSequence() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        await StepVerifier(stream.publisher, demand: .unlimited)
            .perform { continuation.yield(1) }
            .expect(1)
            .expectNothing(for: 5)
            .perform { continuation.yield(2) }
            .expect(2)
            .perform { continuation.finish() }
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_failsOnWhatDoesNotArrive() async {
        let silent = PassthroughSubject<Int, Never>()
        let one = await failures(of: StepVerifier(silent, demand: .unlimited, timeout: 5).expect(1).cancel())
        XCTAssertEqual(one, ["step 1: expected 1, but received nothing"])
        let end = await failures(of: StepVerifier(silent, demand: .unlimited, timeout: 5).expectFinish())
        XCTAssertEqual(end, ["step 1: expected the stream to finish, but received nothing"])
        let open = await failures(of: StepVerifier(silent, demand: .unlimited))
        XCTAssertEqual(open, ["the stream was left open: end the steps with a completion or cancel()"])
    }

    func test_failsOnWhatArrivesUnexpected() async {
        let queue = DispatchQueue(label: "values")
        let steps = StepVerifier((1...3).publisher.receive(on: queue), demand: .unlimited)
        let other = await failures(of: steps.expect(1, 5))
        XCTAssertEqual(other, ["step 1: expected 5, but received 2"])
        let early = await failures(of: steps.expect(count: 4))
        XCTAssertEqual(early, ["step 1: expected 4 values, but after 3 the stream finished"])
        let something = await failures(of: steps.expect(1, 2, 3).expectFinish().expectNothing(for: 1))
        XCTAssertEqual(something, [])
        let nothing = await failures(
            of: StepVerifier(Just(1).receive(on: queue), demand: .unlimited).expectNothing(for: 2000))
        XCTAssertEqual(nothing, ["step 1: expected nothing, but received 1"])
    }

    func test_expectingNothingOfAnAwaitedStreamNeedsATimeOrAScheduler() async {
        let message = "expectNothing() can't be sure of a stream that is awaited: use expectNothing(for:)"
        // It may be about to send.
        let steps = StepVerifier(PassthroughSubject<Int, Never>(), demand: .unlimited).expectNothing().cancel()
        let found = await failures(of: steps)
        XCTAssertEqual(found, ["step 1: \(message)"])
        let scheduler = TestScheduler()
        await StepVerifier(
            Just(1).delay(for: .seconds(5), scheduler: scheduler), demand: .unlimited, scheduler: scheduler
        )
        .advance(by: .seconds(4)).expectNothing().advance(by: .seconds(1)).expect(1).expectFinish()
        .verify { XCTFail($0, file: $1, line: $2) }
    }

    /// On the main thread, what arrives while a step waits has arrived by itself.
    @MainActor func test_whatTheMainQueueDeliversWhileAStepWaitsIsNotSureEither() {
        var failures: [String] = []
        StepVerifier((1...3).publisher.receive(on: DispatchQueue.main), demand: .unlimited)
            .expect(1, 2, 3).expectFinish().expectNothing()
            .verify { message, _, _ in failures.append(message) }
        XCTAssertEqual(failures.count, 1)
        XCTAssertTrue(failures.first?.contains("expectNothing() can't be sure") == true, "\(failures)")
    }

    func test_aTaskThatIsCancelledWaitsNoLonger() async {
        let task = Task {
            let silent = PassthroughSubject<Int, Never>()
            return await failures(of: StepVerifier(silent, demand: .unlimited, timeout: 600_000).expect(1))
        }
        task.cancel()
        let found = await task.value
        XCTAssertEqual(found, ["step 1: expected 1, but received nothing when the task was cancelled"])
    }
}

/// The first line of each failure.
private func failures<Output, Failure>(of verifier: StepVerifier<Output, Failure>) async -> [String] {
    var failures: [String] = []
    await verifier.verify { message, _, _ in
        failures.append(message.split(separator: "\n").first.map(String.init) ?? "")
    }
    return failures
}
