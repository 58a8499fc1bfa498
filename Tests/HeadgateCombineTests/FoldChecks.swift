import HeadgateCombine
import TestSupport
import XCTest

/// Checks what every operator that makes one value of all has to keep to.
///
/// - Parameter operate: Puts the operator behind an upstream, such that 1, 2, 3 and the end lead to a value.
func checkFold<P: Publisher>(
    name: String, file: StaticString = #filePath, line: UInt = #line,
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
    func run(_ upstream: HandPublisher<Int, TestFailure>) {
        for value in 1...3 { XCTAssertEqual(upstream.send(value), .none, file: file, line: line) }
        upstream.finish()
    }
    func expect(_ condition: Bool, _ promise: String) { XCTAssertTrue(condition, promise, file: file, line: line) }

    XCTAssertEqual(shownName(operate), name, file: file, line: line)
    do {
        let (upstream, recorder) = start(.none)
        expect(upstream.calls == [.request(.unlimited)], "asks upstream for everything at once")
        run(upstream)
        expect(recorder.values.isEmpty && recorder.completion == nil, "keeps the result until it is asked for")
        recorder.request(.none)
        expect(recorder.values.isEmpty, "takes no demand for none")
        recorder.request(1)
        expect(recorder.values.count == 1 && recorder.hasFinished, "delivers the result when it is asked for")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
    }
    do {
        let (upstream, recorder) = start(.max(1)) { recorder, _ in
            recorder.request(1)
            return .unlimited
        }
        run(upstream)
        expect(recorder.values.count == 1 && recorder.hasFinished, "delivers one result, whatever is asked inside")
        expect(recorder.breaches == [], "keeps the contract: \(recorder.breaches)")
    }
    do {
        let (upstream, recorder) = start(.max(1)) { recorder, _ in
            recorder.cancel()
            return .max(1)
        }
        run(upstream)
        expect(recorder.values.count == 1 && recorder.completion == nil, "is silent after cancel() inside the result")
        expect(recorder.breaches == [] && upstream.cancelCount <= 1, "keeps the contract: \(recorder.breaches)")
    }
    do {
        let (upstream, recorder) = start(.none)
        let subscription = recorder.subscription
        recorder.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        run(upstream)
        expect(upstream.cancelCount == 1 && !upstream.isConnected, "cancels upstream once")
        expect(recorder.events.count == 1, "is silent after cancel()")
    }
    do {
        let (upstream, recorder) = start(.unlimited)
        upstream.send(completion: .failure(.second))
        expect(recorder.failure as? TestFailure == .second && recorder.values.isEmpty, "passes a failure on")
        expect(upstream.cancelCount == 0, "does not cancel what has failed")
    }
    checkRelease(file: file, line: line, operate)
}
