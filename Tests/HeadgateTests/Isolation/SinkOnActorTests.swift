import Dispatch
import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private actor Counter {
    private(set) var values: [Int] = []
    private(set) var count = 0
    private(set) var end: Subscribers.Completion<TestFailure>?
    private var listeners: Set<AnyCancellable> = []
    private let witness = Tracked()

    func follow(_ publisher: some Publisher<Int, Never>) {
        publisher.sink(on: self) { counter, value in counter.note(value) }.store(in: &listeners)
    }

    func followToTheEnd(_ publisher: some Publisher<Int, TestFailure>) {
        publisher.sink(
            on: self, receiveCompletion: { counter, end in counter.end = end },
            receiveValue: { counter, value in counter.note(value) }
        ).store(in: &listeners)
    }

    func followByClosure(_ publisher: some Publisher<Int, Never>) -> AnyCancellable {
        publisher.sink(isolation: #isolation) { self.note($0) }
    }

    func followSlowly(_ publisher: some Publisher<Int, Never>) {
        publisher.sink(on: self) { counter, value in
            await Task.yield()
            counter.note(value)
        }.store(in: &listeners)
    }

    func followUpTo(_ limit: Int, _ publisher: some Publisher<Int, Never>) {
        publisher.sink(on: self) { counter, value in
            counter.note(value)
            if value == limit { counter.stop() }
        }.store(in: &listeners)
    }

    func stop() { listeners = [] }

    private func note(_ value: Int) {
        values.append(value)
        count += 1
    }
}

final class SinkOnActorConcurrencyTests: XCTestCase {
    func test_losesNothingOfAMillionFromTwoThreads() async {
        let count = Scale.reduced(500_000)
        let subject = PassthroughSubject<Int, Never>()
        let counter = Counter()
        await counter.follow(subject)
        onThreads(2) { _ in
            for value in 0..<count { subject.send(value) }
        }
        await settle(counter, 2 * count)
    }

    func test_losesNothingOfAMillionOfASequence() async {
        let count = Scale.reduced(1_000_000)
        let counter = Counter()
        await counter.follow((0..<count).publisher)
        await settle(counter, count)
        let values = await counter.values
        XCTAssertEqual(values, Array(0..<count))
    }

    func test_receivesEachStateOfASubject() async {
        let subject = CurrentValueSubject<Int, Never>(0)
        let counter = Counter()
        await counter.follow(subject)
        for value in 1...100 { subject.send(value) }
        await settle(counter, 101)
        let values = await counter.values
        XCTAssertEqual(values, Array(0...100))
    }

    func test_aBodyThatWaitsIsNotOvertaken() async {
        let counter = Counter()
        await counter.followSlowly((0..<1000).publisher)
        await settle(counter, 1000)
        let values = await counter.values
        XCTAssertEqual(values, Array(0..<1000))
    }

    func test_closuresOfTheActorRunOnIt() async {
        let counter = Counter()
        let listener = await counter.followByClosure((0..<1000).publisher.receive(on: DispatchQueue.global()))
        await settle(counter, 1000)
        listener.cancel()
    }

    func test_reportsTheEndAfterAllValues() async {
        for ending in [Subscribers.Completion<TestFailure>.finished, .failure(.first)] {
            let subject = PassthroughSubject<Int, TestFailure>()
            let counter = Counter()
            await counter.followToTheEnd(subject)
            (1...10).forEach { subject.send($0) }
            subject.send(completion: ending)
            while await counter.end == nil { await Task.yield() }
            let (end, count) = (await counter.end, await counter.count)
            XCTAssertEqual(end, ending)
            XCTAssertEqual(count, 10)
        }
    }

    func test_nothingIsReceivedAfterCancelFromInside() async {
        let subject = PassthroughSubject<Int, Never>()
        let counter = Counter()
        await counter.followUpTo(3, subject)
        (1...10).forEach { subject.send($0) }
        await settle(counter, 3)
        for _ in 0..<100 { await Task.yield() }
        let values = await counter.values
        XCTAssertEqual(values, [1, 2, 3])
    }

    func test_requestsTheNextWhenTheBodyHasReturned() async {
        let made = Atomic(0)
        let counter = Counter()
        let numbers = Publishers.unfold(0) { state -> Int? in
            state += 1
            made.store(state, ordering: .relaxed)
            return state
        }
        await counter.followUpTo(3, numbers)
        await settle(counter, 3)
        XCTAssertEqual(made.load(ordering: .relaxed), 3)
    }

    func test_doesNotKeepTheActorAlive() async {
        let living = Tracked.count
        let upstream = TestPublisher<Int, Never>()
        var counter: Counter? = Counter()
        await counter?.follow(upstream)
        upstream.send(1)
        if let counter { await settle(counter, 1) }
        counter = nil
        XCTAssertTrue(waitUntil(timeout: 20_000) { Tracked.count == living })
        XCTAssertFalse(upstream.isConnected)
    }

    func test_anActorThatGoesAwayWhileTheListenerIsKeptCancelsAtTheNextValue() async {
        let living = Tracked.count
        let upstream = TestPublisher<Int, Never>()
        var counter: Counter? = Counter()
        let listener = upstream.sink(on: counter!) { _, _ in }
        counter = nil
        XCTAssertTrue(waitUntil(timeout: 20_000) { Tracked.count == living })
        XCTAssertTrue(
            waitUntil(timeout: 20_000) {
                upstream.send(1)
                return !upstream.isConnected
            })
        listener.cancel()
    }

    func test_cancellingCancelsUpstreamBeforeItReturns() {
        let upstream = TestPublisher<Int, Never>()
        let counter = Counter()
        upstream.sink(on: counter) { _, _ in }.cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_aHundredThousandThatAreCancelledLeaveNothing() async {
        let living = Tracked.count
        let subject = PassthroughSubject<Int, Never>()
        do {
            let counter = Counter()
            for _ in 0..<Scale.reduced(100_000) {
                let witness = Tracked()
                subject.sink(on: counter) { [witness] _, _ in _ = witness }.cancel()
            }
        }
        XCTAssertTrue(waitUntil(timeout: 60_000) { Tracked.count == living })
    }

    private func settle(_ counter: Counter, _ count: Int, file: StaticString = #filePath, line: UInt = #line) async {
        let deadline = ContinuousClock.now + .seconds(120)
        while await counter.count < count, ContinuousClock.now < deadline { await Task.yield() }
        let received = await counter.count
        XCTAssertEqual(received, count, file: file, line: line)
    }
}

@MainActor private final class Dashboard {
    var sum = 0
    var lines: [String] = []
    var listeners: Set<AnyCancellable> = []

    func follow(_ publisher: some Publisher<Int, Never>) {
        publisher.sink(on: .shared) { [weak self] in self?.sum += $0 }.store(in: &listeners)
        publisher.sink(isolation: #isolation) { [weak self] in self?.sum += $0 }.store(in: &listeners)
        publisher.map { "\($0)" }.setFailureType(to: TestFailure.self).sink(
            isolation: #isolation, receiveCompletion: { [weak self] in self?.lines.append("\($0)") },
            receiveValue: { [weak self] in self?.lines.append($0) }
        ).store(in: &listeners)
    }
}

@globalActor actor Storage { static let shared = Storage() }

@Storage private final class Shelf {
    var items: [Int] = []
    var listeners: Set<AnyCancellable> = []

    nonisolated init() {}

    func follow(_ publisher: some Publisher<Int, Never>) {
        publisher.sink(isolation: #isolation) { [weak self] in self?.items.append($0) }.store(in: &listeners)
    }
}

final class SinkIsolationConcurrencyTests: XCTestCase {
    @MainActor func test_aClassOfTheMainActorReceivesOnIt() async {
        let dashboard = Dashboard()
        dashboard.follow((1...10).publisher.receive(on: DispatchQueue.global()))
        while dashboard.sum < 110 || dashboard.lines.count < 11 { await Task.yield() }
        XCTAssertEqual(dashboard.lines.last, "finished")
        XCTAssertEqual(dashboard.sum, 110)
    }

    @Storage func test_aClassOfAGlobalActorReceivesOnIt() async {
        let shelf = Shelf()
        shelf.follow((1...10).publisher.receive(on: DispatchQueue.global()))
        while shelf.items.count < 10 { await Task.yield() }
        XCTAssertEqual(shelf.items, Array(1...10))
    }
}
