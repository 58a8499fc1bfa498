import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// What a step of the tests is told to do, by the value itself.
private enum Order: CaseIterable {
    case next, skip, last, finish, fail
}

/// A step that does what the value says.
private struct ObedientStep: _Step {
    typealias Failure = TestFailure

    static var _name: String? { "Obedient" }

    var _failure: TestFailure?

    mutating func _receive(_ input: Order, _ forward: (Order) -> Void) -> _StepResult {
        if input == .next || input == .last { forward(input) }
        if input == .fail { _failure = .second }
        switch input {
        case .next: return .next
        case .skip: return .skip
        case .last: return .last
        case .finish, .fail: return .end
        }
    }
}

/// A step that does what the value says, as long as that does not end the stream.
private struct HarmlessStep: _Step {
    typealias InputFailure = TestFailure

    mutating func _receive(_ input: Order, _ forward: (Order) -> Void) -> _StepResult {
        if input == .skip { return .skip }
        forward(input)
        return .next
    }
}

private struct Obedient<Upstream: Publisher>: _StepPublisher
where Upstream.Output == Order, Upstream.Failure == TestFailure {
    typealias Output = Order
    typealias Failure = TestFailure
    let upstream: Upstream
    var _stage: ObedientStep { ObedientStep() }
}

private struct Harmless<Upstream: Publisher>: _StepPublisher
where Upstream.Output == Order, Upstream.Failure == TestFailure {
    typealias Output = Order
    typealias Failure = TestFailure
    let upstream: Upstream
    var _stage: HarmlessStep { HarmlessStep() }
}

/// What can happen to a conduit of steps.
private enum Action {
    case value(Order, Probe<Order, TestFailure>.Reaction)
    case finish
    case fail
    case request
    case cancel
}

/// What a conduit of steps is to do, in the plainest words.
private struct Model {
    var isOpen = true
    var events: [Probe<Order, TestFailure>.Event] = []
    var calls: [StubbornPublisher<Order, TestFailure>.Call] = []
    var answers: [Subscribers.Demand] = []

    mutating func happen(_ action: Action) {
        switch action {
        case .value(let order, let reaction): answers.append(isOpen ? receive(order, reaction) : .none)
        case .finish: complete(.finished)
        case .fail: complete(.failed("first"))
        case .request:
            if isOpen { calls.append(.request(.max(1))) }
        case .cancel: cancel()
        }
    }

    private mutating func receive(
        _ order: Order, _ reaction: Probe<Order, TestFailure>.Reaction
    ) -> Subscribers.Demand {
        switch order {
        case .skip:
            return .max(1)
        case .next:
            deliver(order, reaction)
            return reaction == .answer ? .max(1) : .none
        case .last:
            deliver(order, reaction)
            end(.finished)
        case .finish:
            end(.finished)
        case .fail:
            end(.failed("second"))
        }
        return .none
    }

    private mutating func deliver(_ order: Order, _ reaction: Probe<Order, TestFailure>.Reaction) {
        events.append(.value(order))
        if reaction == .request { calls.append(.request(.max(1))) }
        if reaction == .cancel { cancel() }
    }

    private mutating func end(_ event: Probe<Order, TestFailure>.Event) {
        if !isOpen { return }
        calls.append(.cancel)
        complete(event)
    }

    private mutating func complete(_ event: Probe<Order, TestFailure>.Event) {
        if isOpen { events.append(event) }
        isOpen = false
    }

    private mutating func cancel() {
        if isOpen { calls.append(.cancel) }
        isOpen = false
    }
}

final class StepConduitTests: XCTestCase {
    private let common: [Action] =
        [.finish, .fail, .request, .cancel, .value(.skip, .nothing)]
        + Probe<Order, TestFailure>.Reaction.allCases.map { .value(.next, $0) }

    private let ending: [Action] =
        [.value(.finish, .nothing), .value(.fail, .nothing)]
        + Probe<Order, TestFailure>.Reaction.allCases.map { .value(.last, $0) }

    /// Runs one sequence of actions against the conduit and the model.
    ///
    /// - Returns: Whether the stream is over.
    private func run<P: Publisher>(
        _ sequence: [Action], then aftermath: [Action], _ operate: (StubbornPublisher<Order, TestFailure>) -> P
    ) throws -> ScriptFrontier<Action>.Standing where P.Output == Order, P.Failure == TestFailure {
        let upstream = StubbornPublisher<Order, TestFailure>()
        let probe = Probe<Order, TestFailure>()
        var model = Model()
        var answers: [Subscribers.Demand] = []
        operate(upstream).subscribe(probe)
        func happen(_ action: Action) {
            model.happen(action)
            switch action {
            case .value(let order, let reaction):
                probe.reaction = reaction
                answers.append(upstream.downstream?.receive(order) ?? .none)
            case .finish: upstream.downstream?.receive(completion: .finished)
            case .fail: upstream.downstream?.receive(completion: .failure(.first))
            case .request: probe.request()
            case .cancel: probe.cancel()
            }
        }
        sequence.forEach(happen)
        let isOpen = model.isOpen
        if !isOpen { aftermath.forEach(happen) }
        probe.release()
        try expect("events", probe.events, model.events)
        try expect("calls", upstream.calls, model.calls)
        try expect("answers", answers, model.answers)
        return isOpen ? .open : .over
    }

    func test_everyOrderOfEventsComesToWhatTheModelSaysWhereAStepMayEndTheStream() {
        explore(common + ending, upTo: 5) { sequence in
            try run(sequence, then: common + ending) { Obedient(upstream: $0) }
        }
    }

    func test_everyOrderOfEventsComesToWhatTheModelSaysWhereNoStepEndsTheStream() {
        // Transparent: what happens after the end is between upstream and downstream.
        explore(common, upTo: 5) { sequence in
            try run(sequence, then: []) { Harmless(upstream: $0) }
        }
    }

    func test_aRunOfStepsComesToTheSameAsTheStepsOneByOne() throws {
        for order in Order.allCases {
            for (first, second) in [(true, true), (true, false), (false, true)] {
                let actions: [Action] = [
                    .request, .value(.next, .answer), .value(order, .nothing), .value(.skip, .nothing),
                    .value(.next, .request), .finish,
                ]
                _ = try run(actions, then: []) { upstream -> AnyPublisher<Order, TestFailure> in
                    switch (first, second) {
                    case (true, true): Obedient(upstream: Obedient(upstream: upstream)).eraseToAnyPublisher()
                    case (true, false): Harmless(upstream: Obedient(upstream: upstream)).eraseToAnyPublisher()
                    case (false, _): Obedient(upstream: Harmless(upstream: upstream)).eraseToAnyPublisher()
                    }
                }
            }
        }
    }

    /// Appends steps to a publisher, erasing only the last: obedient ones where the plan says so.
    private func append<P: Publisher>(_ plan: ArraySlice<Bool>, to upstream: P) -> AnyPublisher<Order, TestFailure>
    where P.Output == Order, P.Failure == TestFailure {
        switch plan.first {
        case true: append(plan.dropFirst(), to: Obedient(upstream: upstream))
        case false: append(plan.dropFirst(), to: Harmless(upstream: upstream))
        case nil: upstream.eraseToAnyPublisher()
        }
    }

    func test_aLongRunComesToTheSameAsOneStep() {
        // After the end, the steps before the one that ended the stream still skip.
        let aftermath = (common + ending).filter { if case .value(.skip, _) = $0 { false } else { true } }
        for place in [0, 7, 8, 23, 24, 39] {
            let plan = (0..<40).map { $0 == place }
            explore(common + ending, upTo: 3) { sequence in
                try run(sequence, then: aftermath) { append(plan[...], to: $0) }
            }
        }
    }

    func test_aLongRunIsTransparentWhereNoStepEndsTheStream() {
        for count in [16, 17, 32, 33, 100] {
            explore(common, upTo: 3) { sequence in
                try run(sequence, then: []) { append(Array(repeating: false, count: count)[...], to: $0) }
            }
        }
    }

    func test_stepsOfEveryRunReceiveTheValuesInOrder() {
        func collect<P: Publisher>(_ count: Int, _ upstream: P) -> [Int] where P.Output == Int, P.Failure == Never {
            if count > 0 { return collect(count - 1, upstream.map { $0 &* 3 &+ count }) }
            var values: [Int] = []
            let cancellable = upstream.sink { values.append($0) }
            cancellable.cancel()
            return values
        }
        for count in 1...50 {
            let expected = (1...5).map { (1...count).reversed().reduce($0) { $0 &* 3 &+ $1 } }
            XCTAssertEqual(collect(count, (1...5).publisher), expected, "\(count) steps")
        }
    }

    func test_aChainAnswersForEveryPairOfResults() {
        func result(_ first: Order, _ second: Order) -> String {
            var chain = _StepChain(ObedientStep(), Replacement(order: second))
            var forwarded = 0
            let result = chain._receive(first) { _ in forwarded += 1 }
            XCTAssertEqual(forwarded, result == .next || result == .last ? 1 : 0)
            if result != .end { return "\(result)" }
            return chain._failure.map { "\($0)" } ?? "finish"
        }
        for second in Order.allCases {
            XCTAssertEqual(result(.skip, second), "skip")
            XCTAssertEqual(result(.finish, second), "finish")
            XCTAssertEqual(result(.fail, second), "second")
        }
        XCTAssertEqual(Order.allCases.map { result(.next, $0) }, ["next", "skip", "last", "finish", "second"])
        XCTAssertEqual(Order.allCases.map { result(.last, $0) }, ["last", "finish", "last", "finish", "second"])
    }

    func test_aSecondSubscriptionIsCancelledAndOtherwiseIgnored() {
        let upstream = StubbornPublisher<Order, TestFailure>()
        let second = StubbornPublisher<Order, TestFailure>()
        let subscriber = TestSubscriber<Order, TestFailure>.checked(.first(1))
        Obedient(upstream: upstream).subscribe(subscriber)
        upstream.downstream?.receive(subscription: second)
        XCTAssertEqual(second.calls, [.cancel])
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        subscriber.cancel()
    }
}

/// A step that does the same with every value.
private struct Replacement: _Step {
    let order: Order

    static var _name: String? { "Replacement" }

    var step = ObedientStep()

    var _failure: TestFailure? { step._failure }

    init(order: Order) { self.order = order }

    mutating func _receive(_ input: Order, _ forward: (Order) -> Void) -> _StepResult {
        step._receive(order, forward)
    }
}
