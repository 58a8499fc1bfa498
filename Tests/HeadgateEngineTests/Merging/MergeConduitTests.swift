import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class MergeConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        explore(StageAct.allCases, upTo: 6, atLeast: 1_000) { try compare($0, isReentrant: false) }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        let beginnings: [[StageAct]] = [[.request, .first], [.first, .request], [.first, .second, .request]]
        explore(StageAct.allCases, upTo: 4, after: beginnings) { try compare($0, isReentrant: true) }
    }

    private typealias Call = TestPublisher<Int, TestFailure>.Call

    private func compare(_ script: [StageAct], isReentrant: Bool) throws -> ScriptFrontier<StageAct>.Standing {
        let hands = (0..<2).map { _ in TestPublisher<Int, TestFailure>() }
        var director: Director<StageAct>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, _ in
            director?.delivery()
            return .none
        }
        let stage = Stage(
            send: { hands[$0].send($1) },
            end: { hands[$0].send(completion: $1) },
            requested: { hands[$0].isConnected ? hands[$0].requested : nil },
            request: { subscriber.request($0) },
            cancel: { subscriber.cancel() })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        Publishers.MergeMany(hands).subscribe(subscriber)
        director?.run()

        let model = Model()
        let modelStage = Stage(
            send: { model.send($1, from: $0) },
            end: { model.end($0, $1) },
            requested: { model.isConnected[$0] ? model.requested($0) : nil },
            request: { model.request($0) },
            cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { modelDirector.delivery() }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("calls", hands.map(\.calls), model.calls)
        try expect("breaches", subscriber.breaches, [])
        // Wherever a value is wanted, each side has been asked for what the operator promises.
        if !model.isOver, subscriber.outstanding > .none {
            let wanted = subscriber.outstanding == .unlimited ? Subscribers.Demand.unlimited : .max(1)
            for (index, hand) in hands.enumerated() where hand.isConnected {
                try expect("requested of \(index) and not sent", stage.expected(index), wanted)
            }
        }
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    func test_releasesAMemberThatHasCompleted() {
        let conduit = MergeConduit<Int, Never>(name: "Merge", count: 2, AnySubscriber())
        conduit.outstanding.add(.max(1))
        weak var member: Upstream?
        do {
            let inlet = conduit.member()
            member = inlet.side
            Empty().receive(subscriber: inlet)
        }
        XCTAssertNil(member)
    }

    /// What a merge of two is, written down without regard to speed.
    private final class Model {
        var received: [StreamEvent<Int, TestFailure>] = []
        var calls: [[Call]] = [[], []]
        var isConnected = [true, true]
        var isOver = false
        var onDelivery: () -> Void = {}

        private var hasEnded = [false, false]
        private var queue: [Int] = []
        private var demand = Subscribers.Demand.none
        /// What is requested when there is demand.
        private var due: [(index: Int, demand: Subscribers.Demand)] = [(0, .max(1)), (1, .max(1))]
        private var isOpen = false
        private var isClosed = false
        private var waiting: [() -> Void] = []
        private var isBusy = false

        func requested(_ index: Int) -> Subscribers.Demand {
            calls[index].reduce(.none) {
                switch $1 {
                case .request(let demand), .answer(let demand): $0 + demand
                case .cancel: $0
                }
            }
        }

        func send(_ value: Int, from index: Int) {
            let more = receive(value, from: index)
            if more > .none { calls[index].append(.answer(more)) }
        }

        private func receive(_ value: Int, from index: Int) -> Subscribers.Demand {
            if !isConnected[index] { return .none }
            if isBusy, demand > .none, !isClosed {
                // The value reserves a unit, and its sender is requested from again.
                demand -= 1
                let isReplaced = demand > .none
                let isUnlimited = demand == .unlimited
                waiting.append { [self] in
                    if isOver || isClosed { return }
                    demand += 1
                    if !hasEnded[index] {
                        queue.append(value)
                        if !isReplaced, !isOpen { request(.max(1), from: index) }
                    }
                    serve()
                }
                return isReplaced && !isUnlimited ? .max(1) : .none
            }
            if isBusy {
                waiting.append { [self] in if deliver(value, index) { request(.max(1), from: index) } }
                return .none
            }
            var isToBeRequestedAgain = false
            perform { [self] in isToBeRequestedAgain = deliver(value, index) }
            return isToBeRequestedAgain ? .max(1) : .none
        }

        func end(_ index: Int, _ completion: Subscribers.Completion<TestFailure>) {
            isConnected[index] = false
            perform { [self] in
                if isOver { return }
                hasEnded[index] = true
                if completion == .finished { finishIfDone() } else { over(completion) }
            }
        }

        func request(_ more: Subscribers.Demand) {
            if isClosed { return }
            let before = demand
            demand += more
            if before > .none, before == .unlimited || demand != .unlimited { return }
            if isBusy { openIfUnlimited() }
            perform { [self] in
                if !isOver { serve() }
            }
        }

        private func serve() {
            openIfUnlimited()
            while !queue.isEmpty, demand > .none, !isClosed {
                demand -= 1
                receive(queue.removeFirst())
            }
            openIfUnlimited()
            finishIfDone()
        }

        /// Requests when nothing is left to do.
        private func request(_ more: Subscribers.Demand, from index: Int) {
            if let position = due.firstIndex(where: { $0.index == index }) {
                due[position].demand += more
            } else {
                due.append((index, more))
            }
        }

        private func openIfUnlimited() {
            if demand != .unlimited || isOpen || isClosed { return }
            isOpen = true
            for index in 0...1 where !hasEnded[index] { request(.unlimited, from: index) }
        }

        func cancel() {
            if isClosed { return }
            isClosed = true
            perform { [self] in over(nil) }
        }

        private func perform(_ work: @escaping () -> Void) {
            waiting.append(work)
            if isBusy { return }
            isBusy = true
            while !waiting.isEmpty { waiting.removeFirst()() }
            isBusy = false
            while demand > .none, !isClosed, !due.isEmpty {
                let (index, demand) = due.removeFirst()
                if !hasEnded[index] { calls[index].append(.request(demand)) }
            }
        }

        private func deliver(_ value: Int, _ index: Int) -> Bool {
            if isOver || hasEnded[index] || isClosed { return false }
            if queue.isEmpty, demand > .none {
                demand -= 1
                receive(value)
            } else {
                queue.append(value)
            }
            if isOpen { return false }
            if demand > .none, !isClosed, due.isEmpty { return true }
            request(.max(1), from: index)
            return false
        }

        private func receive(_ value: Int) {
            received.append(.value(value))
            onDelivery()
        }

        private func finishIfDone() {
            if hasEnded == [true, true], queue.isEmpty { over(.finished) }
        }

        private func over(_ completion: Subscribers.Completion<TestFailure>?) {
            if isOver { return }
            isOver = true
            due = []
            for index in 0...1 where !hasEnded[index] {
                calls[index].append(.cancel)
                isConnected[index] = false
            }
            if let completion, !isClosed { received.append(.completion(completion)) }
            isClosed = true
        }
    }
}
