import Dispatch
import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private actor Ledger {
    private(set) var entries: [Int] = []
    private(set) var end: Subscribers.Completion<TestFailure>?
    private var limit = 3
    private var listener: AnyCancellable?
    private let witness = Tracked()

    func follow(_ publisher: some Publisher<Int, TestFailure>) {
        listener =
            publisher
            .receive(on: self)
            .map { ledger, value in value + ledger.limit - 3 }
            .filter { ledger, value in value % ledger.limit != 0 }
            .compactMap { ledger, value in value > ledger.limit * 1000 ? nil : value }
            .sink(
                receiveCompletion: { ledger, end in ledger.end = end },
                receiveValue: { ledger, value in ledger.note(value) })
    }

    func note(_ value: Int) { entries.append(value) }
}

@MainActor private final class Window {
    var title = ""
    var titles: [String] = []
    var listener: AnyCancellable?

    func follow(_ progress: some Publisher<Int, Never>) {
        listener =
            progress
            .receive(on: MainActor.shared)
            .filter { @MainActor [weak self] _ in self != nil }
            .map { @MainActor [weak self] in "\(self?.title ?? "")\($0) %" }
            .sink { @MainActor [weak self] in self?.titles.append($0) }
    }
}

final class ReceiveOnActorTests: XCTestCase {
    private let executor = TestExecutor()

    func test_deliversInOneJobWhatIsDueInOrder() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        let ledger = Ledger()
        executor.adopt { upstream.receive(on: ledger).subscribe(subscriber) }
        (1...100).forEach { upstream.send($0) }
        upstream.fail(.first)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertLessThanOrEqual(executor.run(), 4)
        XCTAssertEqual(subscriber.values, Array(1...100))
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_requestsWhatIsRequested() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        let ledger = Ledger()
        executor.adopt { upstream.receive(on: ledger).map { _, value in value * 2 }.subscribe(subscriber) }
        XCTAssertEqual(upstream.requested, .none)
        subscriber.request(.max(2))
        XCTAssertEqual(upstream.requested, .max(2))
        (1...3).forEach { upstream.send($0) }
        executor.run()
        XCTAssertEqual(subscriber.values, [2, 4])
        upstream.finish()
        executor.run()
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_isCancelledAtEveryMoment() {
        let living = Tracked.count
        for moment in 0...8 {
            let upstream = TestPublisher<Tracked, TestFailure>()
            let received = Counted()
            let ledger = Ledger()
            let listener = executor.adopt {
                upstream.receive(on: ledger).sink(
                    receiveCompletion: { _, _ in XCTFail("the end is heard") },
                    receiveValue: { _, _ in received.count.add(1, ordering: .relaxed) })
            }
            for event in 0..<moment {
                if event.isMultiple(of: 2) { upstream.send(Tracked()) } else { executor.step() }
            }
            let before = received.count.load(ordering: .relaxed)
            listener.cancel()
            XCTAssertFalse(upstream.isConnected)
            executor.run()
            XCTAssertEqual(received.count.load(ordering: .relaxed), before)
            XCTAssertEqual(executor.count, 0)
        }
        XCTAssertEqual(Tracked.count, living)
    }

    func test_anActorThatHasGoneCancelsUpstream() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        var ledger: Ledger? = Ledger()
        executor.adopt { upstream.receive(on: ledger!).subscribe(subscriber) }
        upstream.send(1)
        executor.run()
        ledger = nil
        XCTAssertTrue(upstream.isConnected)
        upstream.send(2)
        executor.run()
        XCTAssertFalse(upstream.isConnected)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertNil(subscriber.completion)
    }
}

private final class Counted: Sendable { let count = Atomic(0) }

final class ReceiveOnActorConcurrencyTests: XCTestCase {
    func test_closuresOfAnActorReceiveEverythingInOrder() async {
        let count = Scale.reduced(3000)
        let living = Tracked.count
        do {
            let ledger = Ledger()
            let subject = PassthroughSubject<Int, TestFailure>()
            await ledger.follow(subject)
            for value in 1...count { subject.send(value) }
            subject.send(completion: .finished)
            while await ledger.end == nil { await Task.yield() }
            let entries = await ledger.entries
            XCTAssertEqual(entries, (1...count).filter { $0 % 3 != 0 })
        }
        XCTAssertTrue(waitUntil(timeout: 20_000) { Tracked.count == living }, "the actor is kept alive")
    }

    @MainActor func test_closuresOfTheMainActorAreTakenAsTheyAre() async {
        let window = Window()
        window.follow((1...3).publisher.receive(on: DispatchQueue.global()))
        while window.titles.count < 3 { await Task.yield() }
        XCTAssertEqual(window.titles, ["1 %", "2 %", "3 %"])
    }

    func test_losesNothingFromTwoThreads() async {
        let count = Scale.reduced(100_000)
        let subject = PassthroughSubject<Int, TestFailure>()
        let ledger = Ledger()
        let sum = Counted()
        let listener = subject.receive(on: ledger).sink(
            receiveCompletion: { _, _ in }, receiveValue: { _, value in sum.count.add(value, ordering: .relaxed) })
        onThreads(2) { _ in
            for _ in 0..<count { subject.send(1) }
        }
        XCTAssertTrue(waitUntil(timeout: 60_000) { sum.count.load(ordering: .relaxed) == 2 * count })
        listener.cancel()
    }
}
