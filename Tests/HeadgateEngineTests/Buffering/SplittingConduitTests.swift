import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// Splits texts at full stops.
private final class StopSplitter: ChunkSplitter {
    private var rest = ""

    var isEmpty: Bool { rest.isEmpty }

    func take(_ chunk: String) { rest += chunk }

    func forEachPiece(_ body: (String) -> Bool) throws(TestFailure) {
        while let stop = rest.firstIndex(of: ".") {
            let piece = String(rest[..<stop])
            rest = String(rest[rest.index(after: stop)...])
            if piece.hasSuffix("!") { throw .second }
            if !body(piece) { return }
        }
    }

    func finish() throws(TestFailure) -> String? {
        defer { rest = "" }
        if rest.hasSuffix("!") { throw .second }
        return rest.isEmpty ? nil : rest
    }
}

/// What can happen to a conduit that splits.
private enum Action: CaseIterable {
    /// Two pieces; a part of a piece; the end of a piece and a part; a piece that fails.
    case two, part, one, invalid
    case finish, fail
    case request, cancel

    var chunk: String? {
        switch self {
        case .two: "a.b."
        case .part: "c"
        case .one: "d.e"
        case .invalid: "!."
        default: nil
        }
    }
}

/// What such a conduit is to do, in the plainest words.
private struct Model {
    let reaction: Probe<String, TestFailure>.Reaction
    var text = ""
    var demand = 0
    var ending: Probe<String, TestFailure>.Event?
    var isOpen = true
    var isRequested = false
    var requestCount = 0
    var cancelCount = 0
    var events: [Probe<String, TestFailure>.Event] = []

    mutating func happen(_ action: Action) {
        if !isOpen { return }
        switch action {
        case .two, .part, .one, .invalid:
            if ending != nil { return }
            isRequested = false
            text += action.chunk ?? ""
        case .finish:
            if ending == nil { ending = .finished }
        case .fail:
            if ending == nil { ending = .failed("first") }
        case .request:
            demand += 1
        case .cancel:
            leave()
        }
        serve()
    }

    private mutating func serve() {
        while isOpen, demand > 0 {
            if let stop = text.firstIndex(of: ".") {
                let piece = String(text[..<stop])
                text = String(text[text.index(after: stop)...])
                deliver(piece)
            } else if let ending {
                if ending == .finished, !text.isEmpty {
                    let piece = text
                    text = ""
                    deliver(piece)
                } else {
                    end(ending)
                }
            } else {
                if !isRequested { requestCount += 1 }
                isRequested = true
                return
            }
        }
        if isOpen, text.isEmpty, let ending { end(ending) }
    }

    private mutating func deliver(_ piece: String) {
        demand -= 1
        if piece.hasSuffix("!") { return end(.failed("second")) }
        events.append(.value(piece))
        switch reaction {
        case .nothing: break
        case .request, .answer: demand += 1
        case .cancel: leave()
        }
    }

    private mutating func end(_ event: Probe<String, TestFailure>.Event) {
        events.append(event)
        leave()
    }

    private mutating func leave() {
        if ending == nil { cancelCount += 1 }
        isOpen = false
    }
}

final class SplittingConduitTests: XCTestCase {
    private func connect(
        _ upstream: some Publisher<String, TestFailure>, to subscriber: some Subscriber<String, TestFailure>
    ) {
        SplittingConduit(name: "Pieces", StopSplitter(), AnySubscriber(subscriber)).connect(upstream, to: subscriber)
    }

    private func run(
        _ sequence: [Action], _ reaction: Probe<String, TestFailure>.Reaction
    ) throws -> ScriptFrontier<Action>.Standing {
        let upstream = StubbornPublisher<String, TestFailure>()
        let probe = Probe<String, TestFailure>()
        probe.reaction = reaction
        var model = Model(reaction: reaction)
        var answers = Subscribers.Demand.none
        connect(upstream, to: probe)
        func happen(_ action: Action) {
            model.happen(action)
            switch action {
            case .two, .part, .one, .invalid: answers += upstream.downstream?.receive(action.chunk ?? "") ?? .none
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
        let requests = upstream.calls.count { $0 == .request(.max(1)) }
        try expect("requests", answers + requests, .max(model.requestCount))
        try expect("cancellations", upstream.calls.count { $0 == .cancel }, model.cancelCount)
        return isOpen ? .open : .over
    }

    func test_everyOrderOfEventsComesToWhatTheModelSays() {
        for reaction in Probe<String, TestFailure>.Reaction.allCases {
            explore(Action.allCases, upTo: 5) { try run($0, reaction) }
        }
    }

    func test_failsWithTheFailureOfTheSplitterAndCancelsUpstream() {
        let upstream = TestPublisher<String, TestFailure>()
        let subscriber = TestSubscriber<String, TestFailure>.checked(.unlimited)
        connect(upstream, to: subscriber)
        upstream.send("a.!.b.")
        XCTAssertEqual(subscriber.values, ["a"])
        XCTAssertEqual(subscriber.failure, .second)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .cancel])
    }

    func test_aLongStreamOfSmallChunksKeepsTheStackFlat() {
        var count = 0
        let chunks = (0..<100_000).publisher.map { _ in "a." }.setFailureType(to: TestFailure.self)
        connect(
            chunks,
            to: Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in count += 1 }))
        XCTAssertEqual(count, 100_000)
    }
}
