import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class CombineLatestConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        explore(StageAct.allCases, upTo: 6, atLeast: 1_000) { try compare($0, isReentrant: false) }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        let beginnings: [[StageAct]] = [[.request, .first, .second], [.request, .second, .request, .first]]
        explore(StageAct.allCases, upTo: 4, after: beginnings) { try compare($0, isReentrant: true) }
    }

    func test_keepsOneOrderFromTwoThreads() {
        let first = PassthroughSubject<Int, Never>()
        let second = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        first.combineLatest(second) { [$0, $1] }.subscribe(subscriber)
        onThreads(2) { index in
            for value in 0...5_000 { (index == 0 ? first : second).send(value) }
        }
        XCTAssertEqual(subscriber.values.last, [5_000, 5_000])
        XCTAssertEqual(subscriber.values.map { $0[0] }, subscriber.values.map { $0[0] }.sorted())
        XCTAssertEqual(subscriber.values.map { $0[1] }, subscriber.values.map { $0[1] }.sorted())
    }

    private typealias Call = TestPublisher<Int, TestFailure>.Call

    private func compare(_ script: [StageAct], isReentrant: Bool) throws -> ScriptFrontier<StageAct>.Standing {
        let hands = (0..<2).map { _ in TestPublisher<Int, TestFailure>() }
        var director: Director<StageAct>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        let stage = Stage(
            send: { hands[$0].send($1) },
            end: { hands[$0].send(completion: $1) },
            requested: { hands[$0].isConnected ? hands[$0].requested : nil },
            request: { subscriber.request($0) },
            cancel: { subscriber.cancel() })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        hands[0].combineLatest(hands[1]) { $0 * 100 + $1 }.subscribe(subscriber)
        director?.run()

        let model = Model()
        let modelStage = Stage(
            send: { model.send($1, from: $0) },
            end: { model.end($0, $1) },
            requested: { model.isConnected[$0] ? model.requested($0) : nil },
            request: { model.request($0) },
            cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("calls", hands.map(\.calls), model.calls)
        try expect("breaches", subscriber.breaches, [])
        // Wherever a combination is wanted and can still come, both sides have been asked for what it takes, but for one
        // that waits for the first value of the other.
        if subscriber.completion == nil, subscriber.subscription != nil, subscriber.outstanding > .none {
            for index in 0..<2 where hands[index].isConnected && stage.sent[1 - index] > 0 {
                if stage.expected(index) == .none { throw Difference("nothing is requested of \(index)") }
            }
        }
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    /// What combining the latest of two is, written down without regard to speed.
    private final class Model {
        var received: [StreamEvent<Int, TestFailure>] = []
        var calls: [[Call]] = [[], []]
        var isConnected = [true, true]
        var isOver = false
        var onDelivery: (Int) -> Subscribers.Demand = { _ in .none }

        private var hasEnded = [false, false]
        private var latest: [Int?] = [nil, nil]
        private var early = [0, 0]
        /// What is requested from the sides, as far as there is demand.
        private var due: [(index: Int, demand: Subscribers.Demand)] = []
        /// Whether a side has finished without a value.
        private var isRowless = false
        private var wanted = Subscribers.Demand.none
        private var isWaiting = false
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
            if isBusy {
                waiting.append { [self] in request(take(value, index), from: index) }
                return .none
            }
            var more = Subscribers.Demand.none
            perform { [self] in more = take(value, index) }
            return more
        }

        func end(_ index: Int, _ completion: Subscribers.Completion<TestFailure>) {
            isConnected[index] = false
            perform { [self] in
                if isOver { return }
                hasEnded[index] = true
                if completion != .finished { return over(completion) }
                if latest[index] == nil { giveUpRows() }
                finishIfDone()
            }
        }

        func request(_ demand: Subscribers.Demand) {
            if isClosed { return }
            perform { [self] in
                if isOver { return }
                wanted += demand
                var rest = demand
                if isWaiting {
                    isWaiting = false
                    rest -= 1
                    rest += combine()
                    finishIfDone()
                }
                forward(rest, except: nil)
            }
        }

        private func forward(_ demand: Subscribers.Demand, except index: Int?) {
            for other in 0...1 where other != index { request(demand, from: other) }
        }

        private func giveUpRows() {
            if isRowless || latest.allSatisfy({ $0 != nil }) { return }
            isRowless = true
            for index in 0...1 {
                request(.max(early[index]), from: index)
                early[index] = 0
            }
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
            while wanted > .none, !isClosed, !due.isEmpty {
                let (index, demand) = due.removeFirst()
                if hasEnded[index] { continue }
                calls[index].append(.request(min(wanted, demand)))
            }
        }

        /// Requests when nothing is left to do.
        private func request(_ more: Subscribers.Demand, from index: Int) {
            if more == .none || isOver || hasEnded[index] { return }
            if let position = due.firstIndex(where: { $0.index == index }) {
                due[position].demand += more
            } else {
                due.append((index, more))
            }
        }

        private func take(_ value: Int, _ index: Int) -> Subscribers.Demand {
            if isOver { return .none }
            latest[index] = value
            let other = 1 - index
            if latest[other] == nil {
                if isRowless { return wanted > .none && !isClosed ? .max(1) : .none }
                early[index] += 1
                return .none
            }
            if early[other] > 1 { request(.max(early[other] - 1), from: other) }
            early[other] = 0
            let more = combine()
            if more > .none {
                forward(more, except: index)
                if !due.isEmpty {
                    request(more, from: index)
                    return .none
                }
            }
            return more
        }

        private func combine() -> Subscribers.Demand {
            guard !isClosed, let first = latest[0], let second = latest[1] else { return .none }
            if wanted == .none {
                isWaiting = true
                return .none
            }
            wanted -= 1
            received.append(.value(first * 100 + second))
            let more = onDelivery(first * 100 + second)
            wanted += more
            return more
        }

        private func finishIfDone() {
            if hasEnded == [true, true], !isWaiting { over(.finished) }
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
