import Dispatch
import Headgate
import HeadgateTesting
import XCTest

/// Steps wait for what other threads deliver, and none passes because a thread is slow.
final class WaitingStepsConcurrencyTests: XCTestCase {
    private func failures<Output, Failure>(of verifier: StepVerifier<Output, Failure>) -> [String] {
        var failures: [String] = []
        verifier.verify { message, _, _ in failures.append(message.split(separator: "\n").first.map(String.init) ?? "")
        }
        return failures
    }

    private let queue = DispatchQueue(label: "values")

    func test_stepsWaitForValuesAndForTheCompletion() {
        for _ in 0..<50 {
            StepVerifier((1...3).publisher.receive(on: queue))
                .request(2)
                .expect(1, 2)
                .request(1)
                .expect(3)
                .expectFinish()
                .verify { XCTFail($0, file: $1, line: $2) }
        }
    }

    func test_expectingNothingOfAnotherThreadNeverPassesByLuck() {
        let message =
            "expectNothing() can't be sure of a stream that delivers on other threads: use expectNothing(for:)"
        for _ in 0..<50 {
            let steps = StepVerifier((1...3).publisher.receive(on: queue))
                .expectNothing().request(3).expect(1, 2, 3).expectFinish()
            XCTAssertEqual(failures(of: steps), [message])
        }
    }

    func test_nothingForATimeIsSureOfThatTime() {
        let gate = DispatchSemaphore(value: 0)
        let queue = queue
        let steps = StepVerifier(Just(1).receive(on: queue), demand: .unlimited)
            .perform { gate.signal() }
            .expectNothing(for: 2000)
        queue.async { gate.wait() }
        XCTAssertEqual(failures(of: steps), ["step 2: expected nothing, but received 1"])
        StepVerifier(Empty<Int, Never>(completeImmediately: false), demand: .unlimited)
            .expectNothing(for: 5)
            .cancel()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    func test_countsAndSkipsValues() {
        StepVerifier((1...100).publisher.receive(on: queue), demand: .unlimited)
            .expect(count: 10)
            .skip { $0 < 98 }
            .expect(98)
            .skip { _ in true }
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
        XCTAssertEqual(
            failures(of: StepVerifier((1...3).publisher, demand: .unlimited).expect(count: 4)),
            ["step 1: expected 4 values, but after 3 the stream finished"])
    }

    /// A value that arrives while those before it are looked at may be one that is skipped.
    func test_skipsWhatArrivesWhileItLooks() {
        let subject = PassthroughSubject<Int, Never>()
        StepVerifier(subject, demand: .unlimited)
            .perform { subject.send(1) }
            .skip { value in
                if value < 5 { subject.send(value + 1) }
                return value < 5
            }
            .expect(5)
            .cancel()
            .verify { XCTFail($0, file: $1, line: $2) }
    }

    /// On the main thread, waiting would keep from arriving what it waits for.
    @MainActor func test_theMainQueueRunsWhileTheMainThreadWaits() {
        let subscriber = TestSubscriber<Int, Never>(.unlimited)
        (1...3).publisher.receive(on: DispatchQueue.main).subscribe(subscriber)
        XCTAssertTrue(waitUntil { subscriber.hasFinished })
        XCTAssertEqual(subscriber.values, [1, 2, 3])
        StepVerifier((1...3).publisher.receive(on: DispatchQueue.main), demand: .unlimited)
            .expect(1, 2, 3)
            .expectFinish()
            .verify { XCTFail($0, file: $1, line: $2) }
    }
}
