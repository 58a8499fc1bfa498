import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// What can happen to a conduit with a value after the end.
private enum Action {
    case value(Probe<Int, Never>.Reaction)
    case finish, fail
    case request, cancel

    static var all: [Action] {
        [.finish, .fail, .request, .cancel] + Probe<Int, Never>.Reaction.allCases.map { .value($0) }
    }
}

/// What `replaceError(with: 9)` is to do, in the plainest words.
private struct Model {
    let lastReaction: Probe<Int, Never>.Reaction
    var isUpstreamOpen = true
    var isOpen = true
    var isReady = false
    var outstanding = 0
    var events: [Probe<Int, Never>.Event] = []
    var calls: [StubbornPublisher<Int, TestFailure>.Call] = []
    var answers: [Subscribers.Demand] = []

    mutating func happen(_ action: Action) {
        switch action {
        case .value(let reaction): answers.append(isUpstreamOpen ? receive(reaction) : .none)
        case .finish:
            if isUpstreamOpen { end() }
            isUpstreamOpen = false
        case .fail:
            if isUpstreamOpen { isReady = true }
            isUpstreamOpen = false
        case .request:
            request()
        case .cancel:
            cancel()
        }
        if isOpen, isReady, outstanding > 0 {
            events.append(.value(9))
            if lastReaction == .cancel { isOpen = false }
            end()
        }
    }

    private mutating func receive(_ reaction: Probe<Int, Never>.Reaction) -> Subscribers.Demand {
        events.append(.value(1))
        if outstanding > 0 { outstanding -= 1 }
        switch reaction {
        case .nothing:
            break
        case .request: request()
        case .answer:
            outstanding += 1
            return .max(1)
        case .cancel: cancel()
        }
        return .none
    }

    private mutating func request() {
        if isUpstreamOpen { calls.append(.request(.max(1))) }
        outstanding += 1
    }

    private mutating func cancel() {
        if isUpstreamOpen { calls.append(.cancel) }
        isUpstreamOpen = false
        isOpen = false
    }

    private mutating func end() {
        if isOpen { events.append(.finished) }
        isOpen = false
    }
}

final class TailConduitTests: XCTestCase {
    /// Runs one sequence of actions against the conduit and the model.
    ///
    /// - Returns: Whether the stream is over.
    private func run(_ sequence: [Action], _ start: Model) throws -> ScriptFrontier<Action>.Standing {
        let upstream = StubbornPublisher<Int, TestFailure>()
        let probe = Probe<Int, Never>()
        var model = start
        var answers: [Subscribers.Demand] = []
        upstream.replaceError(with: 9).subscribe(probe)
        func happen(_ action: Action) {
            model.happen(action)
            probe.reaction = model.lastReaction
            switch action {
            case .value(let reaction):
                probe.reaction = reaction
                answers.append(upstream.downstream?.receive(1) ?? .none)
            case .finish: upstream.downstream?.receive(completion: .finished)
            case .fail: upstream.downstream?.receive(completion: .failure(.first))
            case .request: probe.request()
            case .cancel: probe.cancel()
            }
        }
        sequence.forEach(happen)
        let isOpen = model.isOpen
        if !isOpen { Action.all.forEach(happen) }
        probe.release()
        try expect("events", probe.events, model.events)
        try expect("calls", upstream.calls, model.calls)
        try expect("answers", answers, model.answers)
        return isOpen ? .open : .over
    }

    func test_everyOrderOfEventsComesToWhatTheModelSays() {
        for reaction in [Probe<Int, Never>.Reaction.nothing, .cancel] {
            explore(Action.all, upTo: 5) { try run($0, Model(lastReaction: reaction)) }
        }
    }

    func test_aSubscriberThatNeverReleasesItsSubscriptionIsReleasedAfterTheEndOrCancel() {
        enum Ending: CaseIterable { case finish, fail, cancel, failAndCancel, failAndRequest }
        for ending in Ending.allCases {
            let upstream = TestPublisher<Int, TestFailure>()
            weak var subscriber: Probe<Int, Never>?
            do {
                let probe = Probe<Int, Never>()
                subscriber = probe
                upstream.replaceError(with: 9).subscribe(probe)
                switch ending {
                case .finish: upstream.finish()
                case .fail:
                    probe.request()
                    upstream.fail(.first)
                case .cancel: probe.cancel()
                case .failAndCancel:
                    upstream.fail(.first)
                    probe.cancel()
                case .failAndRequest:
                    upstream.fail(.first)
                    probe.request()
                }
            }
            XCTAssertNil(subscriber, "after \(ending)")
        }
    }
}
