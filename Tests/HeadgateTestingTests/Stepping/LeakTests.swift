import Headgate
import HeadgateTesting
import XCTest

/// The step verifier fails on what is retained after the end of a stream, and raises no alarm about what releases.
final class LeakTests: XCTestCase {
    private final class Model {
        var total = 0
        var cancellable: AnyCancellable?
        var numbers: some Publisher<Int, Never> { [1, 2].publisher.map { [self] in $0 + total } }
    }

    /// Keeps every subscriber for ever.
    private final class Hoarder: Publisher {
        typealias Output = Int
        typealias Failure = Never

        private var subscribers: [AnySubscriber<Int, Never>] = []

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
            subscribers.append(AnySubscriber(subscriber))
            [1, 2].publisher.subscribe(subscriber)
        }
    }

    private func failures<Output, Failure>(of verifier: consuming StepVerifier<Output, Failure>) -> [String] {
        var failures: [String] = []
        verifier.verify { message, _, _ in failures.append(message.split(separator: "\n").first.map(String.init) ?? "")
        }
        return failures
    }

    func test_failsOnASubscriberThatIsKept() {
        let kept =
            "\(Breach(.releasesReferences, "the subscriber is retained though the stream has completed or was cancelled"))"
        let hoarder = Hoarder()
        XCTAssertEqual(failures(of: StepVerifier(hoarder).request(2).expect(1, 2).expectFinish()), [kept])
        XCTAssertEqual(failures(of: StepVerifier(hoarder).request(1).expect(1).cancel()), [kept])
    }

    func test_failsOnAnObjectThatIsKept() {
        let subject = PassthroughSubject<Int, Never>()
        func steps(isCyclic: Bool) -> StepVerifier<Int, Never> {
            let model = Model()
            let subscription = subject.assign(to: \.total, on: model)
            if isCyclic { model.cancellable = subscription }
            return StepVerifier(subject).watching(model, as: "the model").requestEverything().cancel()
        }
        XCTAssertEqual(
            failures(of: steps(isCyclic: true)),
            ["the model is retained though the stream has completed or was cancelled"])
        XCTAssertEqual(failures(of: steps(isCyclic: false)), [])
    }

    func test_releasesThePublisherAndTheSteps() {
        func steps() -> StepVerifier<Int, Never> {
            let model = Model()
            return StepVerifier(model.numbers).watching(model, as: "the model")
                .requestEverything().expect(1, 2).perform { model.total = 1 }.expectFinish()
        }
        XCTAssertEqual(failures(of: steps()), [])
    }

    func test_saysThatWhatTheTestKeepsIsKept() {
        let model = Model()
        let steps = StepVerifier(model.numbers).watching(model, as: "the model").requestEverything().expect(1, 2)
        for _ in 0..<2 {
            XCTAssertEqual(
                failures(of: steps.expectFinish()),
                ["the model is retained though the stream has completed or was cancelled"])
        }
    }

    func test_raisesNoAlarmAboutSources() {
        XCTAssertEqual(failures(of: StepVerifier(Just(1)).request(1).expect(1).expectFinish()), [])
        XCTAssertEqual(failures(of: StepVerifier((1...3).publisher).request(1).expect(1).cancel()), [])
        let subject = CurrentValueSubject<Int, Never>(1)
        XCTAssertEqual(failures(of: StepVerifier(subject).request(1).expect(1).cancel()), [])
        XCTAssertEqual(
            failures(
                of: StepVerifier(subject).request(1).expect(1).perform { subject.send(completion: .finished) }
                    .expectFinish()), [])
        XCTAssertEqual(failures(of: StepVerifier(TestPublisher<Int, Never>()).request(1).cancel()), [])
    }

    func test_raisesNoAlarmAboutOperators() {
        let subject = PassthroughSubject<Int, Never>()
        func cancelling(_ publisher: some Publisher<Int, Never>) -> [String] {
            failures(
                of: StepVerifier(publisher, demand: .max(1)).perform { subject.send(1) }.expect(1).cancel())
        }
        XCTAssertEqual(cancelling(subject.flatMap { Just($0) }), [])
        XCTAssertEqual(cancelling(subject.zip((1...).publisher).map(\.0)), [])
        XCTAssertEqual(cancelling(subject.share()), [])
        XCTAssertEqual(cancelling(subject.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest)), [])
        XCTAssertEqual(cancelling(subject.prepend(1)), [])
    }

    func test_raisesNoAlarmAboutTimedOperators() {
        for cancels in [true, false] {
            let scheduler = TestScheduler()
            let source = TestPublisher<Int, Never>()
            let steps = StepVerifier(
                source.delay(for: .seconds(1), scheduler: scheduler), demand: .unlimited, scheduler: scheduler
            ).send(1, through: source).expectNothing().advance(by: .seconds(1)).expect(1)
            XCTAssertEqual(
                failures(
                    of: cancels
                        ? steps.cancel() : steps.perform { source.finish() }.advance(by: .seconds(1)).expectFinish()),
                [])
        }
    }

    func test_failsOnAValueThatNobodyTakes() {
        let source = TestPublisher<Int, Never>()
        XCTAssertEqual(
            failures(of: StepVerifier(source).request(1).send(1, 2, through: source).expect(1).cancel()),
            ["step 2: no demand for 2"])
        XCTAssertEqual(
            failures(of: StepVerifier(source).request(2).send(1, 2, through: source).expect(1, 2).cancel()), [])
    }
}
