import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// Checks what every operator that makes at most one value of each, and forwards demand as it is, has to keep.
///
/// - Parameter operate: Attaches the operator to an upstream; it must let 1 to 6 pass one for one.
func checkStep<P: Publisher>(
    file: StaticString = #filePath, line: UInt = #line,
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
    func expect(_ condition: Bool, _ promise: String) { XCTAssertTrue(condition, promise, file: file, line: line) }

    do {
        let (upstream, subscriber) = start(.max(2))
        subscriber.request(3)
        subscriber.request(.unlimited)
        expect(
            upstream.calls == [.request(.max(2)), .request(.max(3)), .request(.unlimited)],
            "forwards demand as it is")
    }
    do {
        let (upstream, subscriber) = start(.max(1)) { _, _ in .max(1) }
        for value in 1...5 { expect(upstream.answer(to: value) == .max(1), "forwards the demand that is answered") }
        upstream.finish()
        expect(subscriber.values.count == 5 && subscriber.hasFinished, "delivers against demand one by one")
        expect(
            subscriber.subscription == nil && upstream.areSubscriptionsReleased, "releases the subscription at the end")
    }
    do {
        var next = 1
        var isSending = false
        let serving = TestPublisher<Int, TestFailure> { upstream, _ in
            if isSending { return }
            isSending = true
            while next <= 6, upstream.send(next) { next += 1 }
            isSending = false
        }
        let (_, subscriber) = start(from: serving, .none) { subscriber, _ in
            subscriber.request(1)
            return .none
        }
        subscriber.request(1)
        expect(subscriber.values.count == 6, "goes on after a request from inside a delivery")
        subscriber.cancel()
    }
    do {
        let (upstream, subscriber) = start(.unlimited) { subscriber, _ in
            subscriber.cancel()
            return .max(1)
        }
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        expect(
            subscriber.values.count == 1 && subscriber.completion == nil, "is silent after cancel() inside a delivery")
        expect(upstream.cancelCount == 1, "cancels upstream once, from inside a delivery")
    }
    do {
        let (upstream, subscriber) = start(.unlimited)
        let subscription = subscriber.subscription
        subscriber.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        expect(upstream.cancelCount >= 1 && !upstream.isConnected, "forwards cancel()")
    }
    do {
        let (upstream, subscriber) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        expect(subscriber.failure as? TestFailure == .first && upstream.cancelCount == 0, "forwards a failure")
    }
    checkRelease(file: file, line: line, operate)
}

/// Checks that an operator releases its subscriber when the stream ends, however that happens.
func checkRelease<P: Publisher>(
    file: StaticString = #filePath, line: UInt = #line,
    _ operate: (TestPublisher<Int, TestFailure>) -> P
) {
    let endings: [(String, (TestPublisher<Int, TestFailure>, TestSubscriber<P.Output, P.Failure>) -> Void)] = [
        ("the end", { upstream, _ in upstream.finish() }),
        ("a failure", { upstream, _ in upstream.send(completion: .failure(.first)) }),
        ("cancel()", { _, subscriber in subscriber.cancel() }),
    ]
    for (name, end) in endings {
        let upstream = TestPublisher<Int, TestFailure>()
        weak var weakSubscriber: TestSubscriber<P.Output, P.Failure>?
        do {
            let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.unlimited, file: file, line: line)
            weakSubscriber = subscriber
            operate(upstream).subscribe(subscriber)
            upstream.send(1)
            end(upstream, subscriber)
        }
        XCTAssertNil(weakSubscriber, "releases the subscriber at \(name)", file: file, line: line)
        XCTAssertTrue(upstream.areSubscriptionsReleased, "releases upstream at \(name)", file: file, line: line)
    }
}

/// Checks what every throwing operator has to keep to when its closure throws at the second value.
///
/// - Parameter operate: Attaches the operator to an upstream, with a closure that throws what it is given for 2.
func checkThrowing<P: Publisher>(
    name: String, file: StaticString = #filePath, line: UInt = #line,
    _ operate: (TestPublisher<Int, TestFailure>, @escaping (Int) throws -> Int) -> P
) where P.Failure == any Error {
    let upstream = TestPublisher<Int, TestFailure>(keepsSubscribers: true)
    let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.unlimited, file: file, line: line)
    operate(upstream) {
        if $0 == 2 { throw TestFailure.second }
        return $0
    }.subscribe(subscriber)
    if case .subscription(let shown)? = subscriber.events.first {
        XCTAssertEqual(shown, name, file: file, line: line)
    }
    upstream.send(1)
    XCTAssertEqual(upstream.cancelCount, 0, file: file, line: line)
    XCTAssertEqual(upstream.answer(to: 2, file: file, line: line), .none, file: file, line: line)
    upstream.force(3)
    upstream.force(completion: .finished)
    XCTAssertEqual(subscriber.failure as? TestFailure, .second, file: file, line: line)
    XCTAssertEqual(upstream.cancelCount, 1, "cancels upstream once", file: file, line: line)
}

/// A publisher of the elements of a sequence that has no operators of its own, as `Publishers.Sequence` has.
struct Values<Elements: Sequence>: Publisher {
    typealias Output = Elements.Element
    typealias Failure = Never

    let elements: Elements

    init(_ elements: Elements) { self.elements = elements }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        elements.publisher.subscribe(subscriber)
    }
}

/// The values and the completion of a publisher whose values are requested one by one.
func outcome<P: Publisher>(
    of publisher: P, file: StaticString = #filePath, line: UInt = #line
) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.oneByOne)
    publisher.subscribe(subscriber)
    return subscriber
}

/// The name that the subscription of an operator shows in a log.
func shownName<P: Publisher>(_ operate: (TestPublisher<Int, TestFailure>) -> P) -> String? {
    let subscriber = TestSubscriber<P.Output, P.Failure>.checked()
    operate(TestPublisher()).subscribe(subscriber)
    guard case .subscription(let name)? = subscriber.events.first else { return nil }
    return name
}
