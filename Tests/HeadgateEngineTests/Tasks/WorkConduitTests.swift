@testable import Headgate
import HeadgateCombine
@testable import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// A subscriber during whose deliveries something happens, as if on another thread.
private final class Witness: Subscriber {
    var events: [WorkModel.Event] = []
    var deliver: () -> Void = {}
    private(set) var isDelivering = false
    private(set) var overlaps = false

    func receive(subscription: any Subscription) {}

    func receive(_ input: Int) -> Subscribers.Demand {
        note(.value(input))
        deliver()
        isDelivering = false
        return .none
    }

    func receive(completion: Subscribers.Completion<TestFailure>) {
        switch completion {
        case .finished: note(.finished)
        case .failure(let failure): note(.failed("\(failure)"))
        }
        deliver()
        isDelivering = false
    }

    private func note(_ event: WorkModel.Event) {
        if isDelivering { overlaps = true }
        isDelivering = true
        events.append(event)
    }
}

extension WorkSlot {
    fileprivate convenience init(number: Int, output: Output? = nil) {
        self.init()
        self.number = number
        self.output = output
    }
}

extension WorkConduit<Int, Int, TestFailure> {
    /// Has another caller than a task hand in the outcome of processing a value.
    fileprivate func complete(_ number: Int, _ outcome: WorkOutcome) {
        switch outcome {
        case .value(let value): perform(settle(Slot(number: number, output: value), isWorker: false), nil)
        case .skip: perform(settle(Slot(number: number), isWorker: false), nil)
        case .failure(let failure): perform(settle(failure: failure), nil)
        }
    }
}

final class WorkConduitTests: XCTestCase {
    private typealias Conduit = WorkConduit<Int, Int, TestFailure>

    /// Acts a script out to a conduit, whose tasks are played by the script, and to the model.
    private func run(
        _ script: [WorkAct], limit: Int, isOrdered: Bool, worksAhead: Bool, isReentrant: Bool
    ) throws -> ScriptFrontier<WorkAct>.Standing {
        let upstream = StubbornPublisher<Int, TestFailure>()
        let witness = Witness()
        let conduit = Conduit(limit: limit, isOrdered: isOrdered, worksAhead: worksAhead, AnySubscriber(witness))
        var model = WorkModel(limit: limit, isOrdered: isOrdered, worksAhead: worksAhead)
        _ = conduit.connect(to: upstream)
        var didSomething = true
        var differences: [String] = []
        var requestedAtEnd: Subscribers.Demand?

        func requested() -> Subscribers.Demand {
            upstream.calls.reduce(.none) { sum, call in
                if case .request(let demand) = call { sum + demand } else { sum }
            }
        }
        func complete(_ number: Int?, _ result: (Int) -> WorkOutcome) {
            guard let number else { return didSomething = false }
            model.complete(number, result(number))
            conduit.complete(number, result(number))
        }
        func end(_ completion: Subscribers.Completion<TestFailure>, _ event: WorkModel.Event) {
            guard model.isUpstreamOpen, !model.hasVanished else { return didSomething = false }
            requestedAtEnd = requested()
            model.end(event)
            conduit.receive(completion: completion)
        }
        func perform(_ act: WorkAct) {
            didSomething = true
            switch act {
            case .request, .requestEverything:
                if model.hasVanished { return didSomething = false }
                let demand = act == .request ? Subscribers.Demand.max(1) : .unlimited
                model.request(demand)
                conduit.request(demand)
            case .cancel:
                if model.hasVanished { return didSomething = false }
                model.cancel(after: witness.events)
                conduit.cancel()
            case .value:
                guard model.isUpstreamOpen, !model.hasVanished, requested() > model.sent else {
                    return didSomething = false
                }
                model.send()
                conduit.receive(model.sent - 1)
            case .finish: end(.finished, .finished)
            case .fail: end(.failure(.first), .failed("first"))
            case .take:
                let slot = Conduit.Slot()
                switch conduit.take(into: slot) {
                case .input:
                    let (number, value) = (slot.number, slot.takeInput())
                    if model.takesNoMore || model.take() != number || value != number {
                        differences.append("took \(number)")
                    }
                case .over:
                    if !model.takesNoMore { differences.append("over too early") }
                    didSomething = false
                case .nothing:
                    if !model.waiting.isEmpty { differences.append("nothing to take") }
                    didSomething = false
                }
            case .firstSucceeds: complete(model.working.first) { .value($0) }
            case .lastSucceeds: complete(model.working.last) { .value($0) }
            case .firstDrops: complete(model.working.first) { _ in .skip }
            case .lastDrops: complete(model.working.last) { _ in .skip }
            case .firstFails: complete(model.working.first) { _ in .failure(.second) }
            case .lastFails: complete(model.working.last) { _ in .failure(.second) }
            case .vanish:
                if model.hasVanished { return didSomething = false }
                model.vanish()
                conduit.abandon()
            }
        }

        let director = Director(script, isReentrant: isReentrant, perform: perform)
        witness.deliver = director.delivery
        director.run()
        let isPruned = !didSomething
        witness.deliver = {}

        try expect("differences", differences, [])
        try expect("deliveries overlap", witness.overlaps, false)
        try expect("events", witness.events, model.events)
        try expect("over", conduit.lock.withLock { conduit.isOver }, model.isOver)
        let cancelCount = upstream.calls.count { $0 == .cancel }
        try expect("cancellations", cancelCount, model.takesNoMore && model.isUpstreamOpen ? 1 : 0)
        if let requestedAtEnd {
            try expect("requested after the end", requested(), requestedAtEnd)
        } else if !model.takesNoMore {
            try expect("requested", requested(), model.requestedFromUpstream)
        }
        return isPruned ? .pruned : model.isOver ? .over : .open
    }

    func test_everyOrderOfEventsComesToWhatTheModelSays() {
        for limit in 1...2 {
            // Whether it is ordered, works ahead, and is entered again.
            for choices in 0..<8 {
                let values = [WorkAct](repeating: .value, count: limit)
                let takes = [WorkAct](repeating: .take, count: limit)
                explore(
                    WorkAct.allCases, upTo: 4,
                    after: [[], [.requestEverything] + values, [.requestEverything] + values + takes], lateActs: 2
                ) {
                    try run(
                        $0, limit: limit, isOrdered: choices & 1 == 0, worksAhead: choices & 2 == 0,
                        isReentrant: choices & 4 == 0)
                }
            }
        }
    }

    /// A task of a conduit that pulls the numbers from zero, while the test does something.
    private func pulling(
        limit: Int, isOrdered: Bool, _ doing: @escaping (Conduit, _ number: Int) -> Void
    ) -> (conduit: Conduit, witness: Witness) {
        let witness = Witness()
        let conduit = Conduit(limit: limit, isOrdered: isOrdered, AnySubscriber(witness))
        (0..<100).publisher.setFailureType(to: TestFailure.self)
            .map { [unowned conduit] number in
                doing(conduit, number)
                return number
            }
            .subscribe(WorkInlet(conduit, name: "Test", translate: { $0 }))
        return (conduit, witness)
    }

    private func work(_ conduit: Conduit, _ number: Int) -> Int? {
        let slot = Conduit.Slot(number: number, output: number)
        guard case .input = conduit.perform(conduit.settle(slot, isWorker: true), slot) else { return nil }
        XCTAssertEqual(slot.number, slot.takeInput())
        return slot.number
    }

    private func take(_ conduit: Conduit) -> Int? {
        let slot = Conduit.Slot()
        guard case .input = conduit.take(into: slot) else { return nil }
        XCTAssertEqual(slot.number, slot.takeInput())
        return slot.number
    }

    func test_aTaskGoesOnWithTheValueThatItHasPulled() {
        for isOrdered in [true, false] {
            var requested: [Int] = []
            let (conduit, witness) = pulling(limit: 2, isOrdered: isOrdered) { requested.append($1) }
            conduit.request(.max(2))
            XCTAssertEqual([take(conduit), take(conduit)], [0, 1])
            XCTAssertEqual(work(conduit, 0), 2)
            XCTAssertNil(take(conduit), "nothing is queued")
            XCTAssertEqual(work(conduit, 1), 3)
            XCTAssertEqual(requested, [0, 1, 2, 3])
            XCTAssertNil(work(conduit, 2))
            XCTAssertNil(work(conduit, 3))
            XCTAssertEqual(requested, [0, 1, 2, 3], "no more than the limit are under way")
            XCTAssertEqual(witness.events, [.value(0), .value(1)])
            conduit.request(.max(1))
            XCTAssertEqual(requested, [0, 1, 2, 3, 4])
            XCTAssertEqual(witness.events, [.value(0), .value(1), .value(2)])
            conduit.cancel()
        }
    }

    func test_whatBecomesDueWhileATaskPullsIsDeliveredFirst() {
        for isOrdered in [true, false] {
            let (conduit, witness) = pulling(limit: 2, isOrdered: isOrdered) { conduit, number in
                if number == 2 { conduit.complete(1, .value(1)) }
            }
            conduit.request(.unlimited)
            XCTAssertEqual([take(conduit), take(conduit)], [0, 1])
            XCTAssertEqual(work(conduit, 0), 2)
            XCTAssertEqual(witness.events, [.value(0), .value(1)])
            XCTAssertEqual(take(conduit), 3, "the value that the task has not taken is queued")
            conduit.cancel()
        }
    }

    func test_whatIsRequestedWhileATaskPullsIsDeliveredAfterwards() {
        var requested: [Int] = []
        let (conduit, witness) = pulling(limit: 2, isOrdered: true) { conduit, number in
            requested.append(number)
            if number == 2 { conduit.request(.max(1)) }
        }
        conduit.request(.max(1))
        XCTAssertEqual([take(conduit), take(conduit)], [0, 1])
        conduit.complete(1, .value(1))
        XCTAssertEqual(work(conduit, 0), 2)
        XCTAssertEqual(witness.events, [.value(0), .value(1)])
        XCTAssertEqual(take(conduit), 3)
        XCTAssertEqual(requested, [0, 1, 2, 3])
        conduit.cancel()
    }

    func test_aTaskWhoseWorkFailsDuringADeliveryTakesNoMore() {
        let (conduit, witness) = pulling(limit: 3, isOrdered: true) { _, _ in }
        conduit.request(.max(3))
        XCTAssertEqual([take(conduit), take(conduit)], [0, 1])
        witness.deliver = { [unowned conduit] in
            witness.deliver = {}
            if case .over = conduit.perform(conduit.settle(failure: .second), Conduit.Slot()) { return }
            XCTFail("goes on")
        }
        XCTAssertNil(work(conduit, 0))
        XCTAssertEqual(witness.events, [.value(0), .failed("second")])
    }

    func test_aCancellationWhileATaskPullsEndsIt() {
        let (conduit, witness) = pulling(limit: 1, isOrdered: true) { conduit, number in
            if number == 1 { conduit.cancel() }
        }
        conduit.request(.unlimited)
        XCTAssertEqual(take(conduit), 0)
        XCTAssertNil(work(conduit, 0))
        XCTAssertNil(take(conduit))
        XCTAssertEqual(witness.events, [.value(0)])
    }
}
