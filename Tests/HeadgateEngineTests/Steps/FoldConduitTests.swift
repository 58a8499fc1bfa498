import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// What can happen to a conduit of a fold.
private enum Action: CaseIterable {
    /// A value after which more are needed, one that settles the result, one for which the fold throws.
    case more, done, failing
    case finish, fail
    case request, cancel
}

/// What a conduit of a fold is to do, in the plainest words.
private struct Model {
    let hasResultAtTheEnd: Bool
    let reaction: Probe<String, any Error>.Reaction
    var isUpstreamOpen = true
    var isOpen = true
    var isRequested = false
    var result: String?
    var events: [Probe<String, any Error>.Event] = []
    var calls: [StubbornPublisher<Int, TestFailure>.Call] = [.request(.unlimited)]

    mutating func happen(_ action: Action) {
        switch action {
        case .more:
            break
        case .done:
            if closeUpstream(byCancelling: true) { result = "done" }
        case .failing:
            if closeUpstream(byCancelling: true) { end(.failed("second")) }
        case .finish:
            if closeUpstream(byCancelling: false) {
                if hasResultAtTheEnd { result = "end" } else { end(.finished) }
            }
        case .fail:
            if closeUpstream(byCancelling: false) { end(.failed("first")) }
        case .request:
            isRequested = true
        case .cancel:
            _ = closeUpstream(byCancelling: true)
            isOpen = false
        }
        if isOpen, isRequested, let result {
            events.append(.value(result))
            if reaction == .cancel { isOpen = false }
            end(.finished)
        }
    }

    private mutating func closeUpstream(byCancelling isCancelling: Bool) -> Bool {
        defer { isUpstreamOpen = false }
        if isUpstreamOpen, isCancelling { calls.append(.cancel) }
        return isUpstreamOpen
    }

    private mutating func end(_ event: Probe<String, any Error>.Event) {
        if isOpen { events.append(event) }
        isOpen = false
    }
}

final class FoldConduitTests: XCTestCase {
    /// Runs one sequence of actions against the conduit and the model.
    ///
    /// - Returns: Whether the stream is over.
    private func run<P: Publisher>(
        _ sequence: [Action], _ start: Model, _ operate: (StubbornPublisher<Int, TestFailure>) -> P
    ) throws -> ScriptFrontier<Action>.Standing where P.Output == String, P.Failure == any Error {
        let upstream = StubbornPublisher<Int, TestFailure>()
        let probe = Probe<String, any Error>()
        var model = start
        probe.reaction = model.reaction
        var answers: [Subscribers.Demand] = []
        operate(upstream).subscribe(probe)
        func send(_ value: Int) {
            if let answer = upstream.downstream?.receive(value), answer > .none { answers.append(answer) }
        }
        func happen(_ action: Action) {
            model.happen(action)
            switch action {
            case .more: send(0)
            case .done: send(1)
            case .failing: send(2)
            case .finish: upstream.downstream?.receive(completion: .finished)
            case .fail: upstream.downstream?.receive(completion: .failure(.first))
            case .request: probe.request()
            case .cancel: probe.cancel()
            }
        }
        sequence.forEach(happen)
        let isOpen = model.isOpen
        if !isOpen { Action.allCases.forEach(happen) }
        probe.release()
        try expect("events", probe.events, model.events)
        try expect("calls", upstream.calls, model.calls)
        try expect("answers", answers, [])
        return isOpen ? .open : .over
    }

    private func order(_ value: Int) throws -> Bool {
        if value == 2 { throw TestFailure.second }
        return value == 1
    }

    func test_everyOrderOfEventsComesToWhatTheModelSaysWhereTheEndBringsAResult() {
        for reaction in Probe<String, any Error>.Reaction.allCases {
            explore(Action.allCases, upTo: 5) { sequence in
                try run(sequence, Model(hasResultAtTheEnd: true, reaction: reaction)) {
                    $0.tryContains { try self.order($0) }.map { $0 ? "done" : "end" }
                }
            }
        }
    }

    func test_everyOrderOfEventsComesToWhatTheModelSaysWhereTheEndBringsNone() {
        for reaction in Probe<String, any Error>.Reaction.allCases {
            explore(Action.allCases, upTo: 5) { sequence in
                try run(sequence, Model(hasResultAtTheEnd: false, reaction: reaction)) {
                    $0.tryFirst { try self.order($0) }.map { _ in "done" }
                }
            }
        }
    }

    func test_requestsNothingWhenCancelledAtOnce() {
        let upstream = TestPublisher<Int, TestFailure>()
        upstream.count().subscribe(AnySubscriber<Int, TestFailure>(receiveSubscription: { $0.cancel() }))
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_aSecondSubscriptionIsCancelledAndOtherwiseIgnored() {
        let upstream = StubbornPublisher<Int, TestFailure>()
        let second = StubbornPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.count().subscribe(subscriber)
        upstream.downstream?.receive(subscription: second)
        XCTAssertEqual(second.calls, [.cancel])
        subscriber.cancel()
    }
}
