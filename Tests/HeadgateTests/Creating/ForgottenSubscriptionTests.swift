import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// A subscriber like that of a tutorial: it requests values, and doesn't retain its subscription.
private final class Forgetful: Subscriber {
    private let demand: Subscribers.Demand
    private(set) var values: [Int] = []
    private(set) var hasFinished = false
    private let tracked = Tracked()

    init(_ demand: Subscribers.Demand) { self.demand = demand }

    func receive(subscription: any Subscription) { subscription.request(demand) }

    func receive(_ input: Int) -> Subscribers.Demand {
        values.append(input)
        // From inside a delivery, one more.
        return input == 20 ? .max(1) : .none
    }

    func receive(completion: Subscribers.Completion<Never>) { hasFinished = true }
}

/// What a subscriber that doesn't retain its subscription receives.
final class ForgottenSubscriptionTests: XCTestCase {
    private let executor = TestExecutor()

    private func check(
        _ name: String, _ publisher: some Publisher<Int, Never>, send: (() -> Void)? = nil,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        let everything = Forgetful(.unlimited)
        executor.adopt { publisher.subscribe(everything) }
        send?()
        executor.run()
        XCTAssertEqual(everything.values, [10, 20, 30, 40], name, file: file, line: line)
        XCTAssertTrue(everything.hasFinished, name, file: file, line: line)
    }

    /// Checks that the subscriber receives what it has requested, and is released then, although more could come.
    private func checkRelease(
        _ name: String, _ publisher: some Publisher<Int, Never>, send: (() -> Void)? = nil,
        file: StaticString = #filePath, line: UInt = #line
    ) {
        for (demand, expected) in [(0, []), (1, [10]), (2, [10, 20, 30])] {
            weak var weakSubscriber: Forgetful?
            do {
                let subscriber = Forgetful(.max(demand))
                weakSubscriber = subscriber
                executor.adopt { publisher.subscribe(subscriber) }
                send?()
                executor.run()
                XCTAssertEqual(subscriber.values, expected, name, file: file, line: line)
                XCTAssertFalse(subscriber.hasFinished, name, file: file, line: line)
            }
            XCTAssertNil(weakSubscriber, "\(name), \(demand) requested", file: file, line: line)
        }
    }

    func test_everySourceDeliversWhatWasRequested() {
        let values = [10, 20, 30, 40]
        var emitters: [Emitter<Int, Never>] = []
        nonisolated(unsafe) var created: [Publishers.Create<Int, Never>.Subscriber] = []
        let emitting = Publishers.emitter(Int.self, buffering: .unbounded) { emitters.append($0) }
        let creating = AnyPublisher<Int, Never>.create { subscriber in
            created.append(subscriber)
            return AnyCancellable {}
        }
        check("emitter", emitting) {
            values.forEach { emitters.last?.send($0) }
            emitters.last?.finish()
        }
        checkRelease("emitter", emitting) { values.forEach { emitters.last?.send($0) } }
        XCTAssertTrue(emitters.allSatisfy(\.isFinished), "the emitters know that the subscribers have gone")
        check("create", creating) {
            values.forEach { created.last?.send($0) }
            created.last?.send(completion: .finished)
        }
        checkRelease("create", creating) { values.forEach { created.last?.send($0) } }
        let sequence = AsyncStream { continuation in
            values.forEach { continuation.yield($0) }
            continuation.finish()
        }
        check("an asynchronous sequence", sequence.publisher)
        let produced = Publishers.produce(Int.self, failure: Never.self) { yield throws(CancellationError) in
            for value in values { try await yield(value) }
        }
        check("produce", produced)
        checkRelease("produce", produced)
        check("a sequence", values.publisher)
        checkRelease("a sequence", values.publisher)
        check("buffer", values.publisher.buffer(size: 10, prefetch: .keepFull, whenFull: .dropNewest))
    }

    func test_aChannelDeliversWhatWasRequested() {
        let channel = StreamChannel<Int, Never>(capacity: 0)
        checkRelease("channel", channel) { [10, 20, 30, 40].forEach { _ = channel.trySend($0) } }
        let subscriber = Forgetful(.unlimited)
        channel.subscribe(subscriber)
        XCTAssertEqual(channel.trySend(1), .sent)
        channel.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aTaskDeliversItsValue() {
        let subscriber = Forgetful(.unlimited)
        executor.adopt { Publishers.task { 1 }.subscribe(subscriber) }
        executor.run()
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertTrue(subscriber.hasFinished)
    }
}
