import HeadgateCombine
import TestSupport
import XCTest

/// Checks what every operator that makes at most one value of each, and passes demand on as it is, has to keep to.
///
/// - Parameter operate: Puts the operator behind an upstream, such that it lets 1 to 6 pass one for one.
func checkStep<P: Publisher>(
    file: StaticString = #filePath, line: UInt = #line,
    _ operate: (HandPublisher<Int, TestFailure>) -> P
) where P.Output: Equatable {
    func start(
        _ demand: Subscribers.Demand,
        onValue: @escaping (Recorder<P.Output, P.Failure>, P.Output) -> Subscribers.Demand = { _, _ in .none }
    ) -> (HandPublisher<Int, TestFailure>, Recorder<P.Output, P.Failure>) {
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<P.Output, P.Failure>(demand: demand, onValue: onValue)
        operate(upstream).subscribe(recorder)
        return (upstream, recorder)
    }
    func expect(_ condition: Bool, _ promise: String) { XCTAssertTrue(condition, promise, file: file, line: line) }

    do {
        let (upstream, recorder) = start(.max(2))
        recorder.request(3)
        recorder.request(.unlimited)
        expect(
            upstream.calls == [.request(.max(2)), .request(.max(3)), .request(.unlimited)],
            "passes demand on as it is")
    }
    do {
        let (upstream, recorder) = start(.max(1)) { _, _ in .max(1) }
        for value in 1...5 { expect(upstream.send(value) == .max(1), "passes on the demand that is returned") }
        upstream.finish()
        expect(recorder.values.count == 5 && recorder.hasFinished, "delivers against demand one by one")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
        expect(
            recorder.subscription == nil && upstream.lastSubscription == nil, "lets go of the subscription at the end")
    }
    do {
        let (upstream, recorder) = start(.max(1)) { recorder, _ in
            recorder.request(1)
            return .none
        }
        var next = 1
        var backlog = 0
        var isSending = false
        upstream.onRequest = { demand in
            backlog += demand.max ?? 0
            if isSending { return }
            isSending = true
            while backlog > 0, next <= 6 {
                backlog -= 1
                next += 1
                backlog += upstream.send(next - 1).max ?? 0
            }
            isSending = false
        }
        recorder.request(1)
        expect(recorder.values.count == 6, "goes on when asked from inside a delivery")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
        recorder.cancel()
        upstream.onRequest = { _ in }
    }
    do {
        let (upstream, recorder) = start(.unlimited) { recorder, _ in
            recorder.cancel()
            return .max(1)
        }
        upstream.send(1)
        upstream.send(2)
        upstream.finish()
        expect(recorder.values.count == 1 && recorder.completion == nil, "is silent after cancel() inside a delivery")
        expect(recorder.breaches == [] && upstream.cancelCount == 1, "cancels upstream once, from inside a delivery")
    }
    do {
        let (upstream, recorder) = start(.unlimited)
        let subscription = recorder.subscription
        recorder.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        expect(upstream.cancelCount >= 1 && !upstream.isConnected, "passes cancel() on")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
    }
    do {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(1)
        upstream.send(completion: .failure(.first))
        expect(recorder.failure as? TestFailure == .first && upstream.cancelCount == 0, "passes a failure on")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
    }
    checkRelease(file: file, line: line, operate)
}

/// Checks that an operator lets go of its subscriber when the stream ends, however that happens.
func checkRelease<P: Publisher>(
    file: StaticString = #filePath, line: UInt = #line,
    _ operate: (HandPublisher<Int, TestFailure>) -> P
) {
    let endings: [(String, (HandPublisher<Int, TestFailure>, Recorder<P.Output, P.Failure>) -> Void)] = [
        ("the end", { upstream, _ in upstream.finish() }),
        ("a failure", { upstream, _ in upstream.send(completion: .failure(.first)) }),
        ("cancel()", { _, recorder in recorder.cancel() }),
    ]
    for (name, end) in endings {
        let upstream = HandPublisher<Int, TestFailure>()
        weak var subscriber: Recorder<P.Output, P.Failure>?
        do {
            let recorder = Recorder<P.Output, P.Failure>(demand: .unlimited)
            subscriber = recorder
            operate(upstream).subscribe(recorder)
            upstream.send(1)
            end(upstream, recorder)
        }
        XCTAssertNil(subscriber, "lets go of the subscriber at \(name)", file: file, line: line)
        XCTAssertNil(upstream.lastSubscription, "lets go of upstream at \(name)", file: file, line: line)
    }
}

/// Checks what every throwing operator has to keep to when its closure throws at the second value.
///
/// - Parameter operate: Puts the operator behind an upstream, with a closure that throws what it is given for 2.
func checkThrowing<P: Publisher>(
    name: String, file: StaticString = #filePath, line: UInt = #line,
    _ operate: (HandPublisher<Int, TestFailure>, @escaping (Int) throws -> Int) -> P
) where P.Failure == any Error {
    let upstream = HandPublisher<Int, TestFailure>()
    let recorder = Recorder<P.Output, P.Failure>(demand: .unlimited)
    operate(upstream) {
        if $0 == 2 { throw TestFailure.second }
        return $0
    }.subscribe(recorder)
    if case .subscription(let shown)? = recorder.events.first {
        XCTAssertEqual(shown, name, file: file, line: line)
    }
    upstream.send(1)
    XCTAssertEqual(upstream.cancelCount, 0, file: file, line: line)
    XCTAssertEqual(upstream.send(2), .none, file: file, line: line)
    upstream.send(3)
    upstream.finish()
    XCTAssertEqual(recorder.failure as? TestFailure, .second, file: file, line: line)
    XCTAssertEqual(upstream.cancelCount, 1, "cancels upstream once", file: file, line: line)
    XCTAssertEqual(recorder.breaches, [], file: file, line: line)
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

/// The values and the completion that a publisher comes to, asked for one by one.
func outcome<P: Publisher>(
    of publisher: P, file: StaticString = #filePath, line: UInt = #line
) -> Recorder<P.Output, P.Failure> {
    let recorder = Recorder<P.Output, P.Failure>(demand: .max(1)) { _, _ in .max(1) }
    publisher.subscribe(recorder)
    XCTAssertEqual(recorder.breaches, [], file: file, line: line)
    return recorder
}

/// The name that the subscription of an operator shows in a log.
func shownName<P: Publisher>(_ operate: (HandPublisher<Int, TestFailure>) -> P) -> String? {
    let recorder = Recorder<P.Output, P.Failure>()
    operate(HandPublisher()).subscribe(recorder)
    guard case .subscription(let name)? = recorder.events.first else { return nil }
    return name
}
