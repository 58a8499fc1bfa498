import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// Checks what every operator that makes one value of all has to keep to.
///
/// - Parameter operate: Attaches the operator to an upstream; 1, 2, 3 and the completion must lead to a value.
func checkFold<P: Publisher>(
    name: String, file: StaticString = #filePath, line: UInt = #line,
    _ operate: (TestPublisher<Int, TestFailure>) -> P
) where P.Output: Equatable {
    func start(
        from upstream: TestPublisher<Int, TestFailure> = TestPublisher(), _ demand: Subscribers.Demand,
        answering: @escaping (TestSubscriber<P.Output, P.Failure>, P.Output) -> Subscribers.Demand = { _, _ in .none }
    ) -> (TestPublisher<Int, TestFailure>, TestSubscriber<P.Output, P.Failure>) {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(
            requesting: demand, file: file, line: line, answering: answering)
        operate(upstream).subscribe(subscriber)
        return (upstream, subscriber)
    }
    func run(_ upstream: TestPublisher<Int, TestFailure>) {
        for value in 1...3 where upstream.isConnected {
            XCTAssertEqual(upstream.answer(to: value, file: file, line: line), .none, file: file, line: line)
        }
        upstream.finish()
    }
    func expect(_ condition: Bool, _ promise: String) { XCTAssertTrue(condition, promise, file: file, line: line) }

    XCTAssertEqual(shownName(operate), name, file: file, line: line)
    do {
        let (upstream, subscriber) = start(.none)
        expect(upstream.calls == [.request(.unlimited)], "requests everything at once")
        run(upstream)
        expect(subscriber.values.isEmpty && subscriber.completion == nil, "keeps the result until it is requested")
        subscriber.request(.none)
        expect(subscriber.values.isEmpty, "takes no demand for none")
        subscriber.request(1)
        expect(subscriber.values.count == 1 && subscriber.hasFinished, "delivers the result when it is requested")
    }
    do {
        let (upstream, subscriber) = start(.max(1)) { subscriber, _ in
            subscriber.request(1)
            return .unlimited
        }
        run(upstream)
        expect(
            subscriber.values.count == 1 && subscriber.hasFinished, "delivers one result, whatever is requested inside")
    }
    do {
        let (upstream, subscriber) = start(.max(1)) { subscriber, _ in
            subscriber.cancel()
            return .max(1)
        }
        run(upstream)
        expect(
            subscriber.values.count == 1 && subscriber.completion == nil, "is silent after cancel() inside the result")
        expect(upstream.cancelCount <= 1, "cancels upstream at most once")
    }
    do {
        let (upstream, subscriber) = start(from: TestPublisher(keepsSubscribers: true), .none)
        let subscription = subscriber.subscription
        subscriber.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        for value in 1...3 { upstream.force(value) }
        upstream.force(completion: .finished)
        expect(upstream.cancelCount == 1 && !upstream.isConnected, "cancels upstream once")
        expect(subscriber.events.count == 2, "is silent after cancel(), whatever upstream sends")
    }
    do {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(completion: .failure(.second))
        expect(subscriber.failure as? TestFailure == .second && subscriber.values.isEmpty, "forwards a failure")
        expect(upstream.cancelCount == 0, "does not cancel what has failed")
    }
    checkRelease(file: file, line: line, operate)
}
