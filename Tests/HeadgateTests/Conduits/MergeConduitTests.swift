import Headgate
import TestSupport
import XCTest

final class MergeConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        var count = 0
        forEachScript(of: Act.allCases, upTo: 6) { script in
            count += 1
            return compare(script, isReentrant: false)
        }
        XCTAssertGreaterThan(count, 1_000)
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        for beginning in [[Act.request, .first], [.first, .request], [.first, .second, .request]] {
            forEachScript(of: Act.allCases, upTo: 4) { compare(beginning + $0, isReentrant: true) }
        }
    }

    private enum Act: CaseIterable {
        case first, second, firstFinish, secondFinish, firstFailure, request, requestEverything, cancel
    }

    private typealias Call = HandPublisher<Int, TestFailure>.Call

    private func compare(_ script: [Act], isReentrant: Bool) -> Bool {
        let hands = (0..<2).map { _ in HandPublisher<Int, TestFailure>() }
        let recorder = Recorder<Int, TestFailure>()
        let stage = Stage(
            send: { hands[$0].send($1) },
            end: { hands[$0].send(completion: $1) },
            requested: { hands[$0].isConnected ? hands[$0].requested : nil },
            request: { recorder.request($0) },
            cancel: { recorder.cancel() })
        let director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        recorder.onValue = { _, _ in
            director.delivery()
            return .none
        }
        Publishers.MergeMany(hands).subscribe(recorder)
        director.run()

        let model = Model()
        let modelStage = Stage(
            send: { model.receive($1, from: $0) },
            end: { model.end($0, $1) },
            requested: { model.isConnected[$0] ? model.requested($0) : nil },
            request: { model.request($0) },
            cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { modelDirector.delivery() }
        modelDirector.run()

        XCTAssertEqual(Array(recorder.events.dropFirst()), model.heard, "\(script)")
        XCTAssertEqual(hands.map(\.calls), model.calls, "\(script)")
        XCTAssertEqual(stage.answered, modelStage.answered, "\(script)")
        XCTAssertEqual(recorder.breaches, [], "\(script)")
        return !model.isOver && modelStage.lastActDidSomething && recorder.breaches.isEmpty
    }

    /// Two publishers that keep to the contract: they send what was asked for, and say nothing inside a delivery of
    /// their own.
    private final class Stage {
        var answered = [Subscribers.Demand.none, .none]
        var lastActDidSomething = false

        private let send: (Int, Int) -> Subscribers.Demand
        private let end: (Int, Subscribers.Completion<TestFailure>) -> Void
        private let requested: (Int) -> Subscribers.Demand?
        private let request: (Subscribers.Demand) -> Void
        private let cancel: () -> Void
        private var sent = [0, 0]
        private var isSending = [false, false]

        init(
            send: @escaping (Int, Int) -> Subscribers.Demand,
            end: @escaping (Int, Subscribers.Completion<TestFailure>) -> Void,
            requested: @escaping (Int) -> Subscribers.Demand?, request: @escaping (Subscribers.Demand) -> Void,
            cancel: @escaping () -> Void
        ) {
            self.send = send
            self.end = end
            self.requested = requested
            self.request = request
            self.cancel = cancel
        }

        func act(_ act: Act) {
            lastActDidSomething = true
            switch act {
            case .first: sendNext(0)
            case .second: sendNext(1)
            case .firstFinish: end(0, with: .finished)
            case .secondFinish: end(1, with: .finished)
            case .firstFailure: end(0, with: .failure(.first))
            case .request: request(.max(1))
            case .requestEverything: request(.unlimited)
            case .cancel: cancel()
            }
        }

        private func sendNext(_ index: Int) {
            guard !isSending[index], let requested = requested(index), requested + answered[index] > sent[index] else {
                lastActDidSomething = false
                return
            }
            sent[index] += 1
            isSending[index] = true
            let more = send(index, index * 10 + sent[index])
            isSending[index] = false
            answered[index] += more
        }

        private func end(_ index: Int, with completion: Subscribers.Completion<TestFailure>) {
            if isSending[index] || requested(index) == nil {
                lastActDidSomething = false
            } else {
                end(index, completion)
            }
        }
    }

    /// What a merge of two is, written down without regard to speed.
    private final class Model {
        var heard: [Event<Int, TestFailure>] = []
        var calls: [[Call]] = [[.request(.max(1))], [.request(.max(1))]]
        var isConnected = [true, true]
        var isOver = false
        var onDelivery: () -> Void = {}

        private var hasEnded = [false, false]
        private var queue: [(Int, Int)] = []
        private var demand = Subscribers.Demand.none
        private var isOpen = false
        private var isClosed = false
        private var waiting: [() -> Void] = []
        private var asks: [(Int, Subscribers.Demand)] = []
        private var isBusy = false

        func requested(_ index: Int) -> Subscribers.Demand {
            calls[index].reduce(.none) { if case .request(let demand) = $1 { $0 + demand } else { $0 } }
        }

        func receive(_ value: Int, from index: Int) -> Subscribers.Demand {
            if !isConnected[index] { return .none }
            if isBusy {
                waiting.append { [self] in if deliver(value, index) { asks.append((index, .max(1))) } }
                return .none
            }
            var isToBeAskedAgain = false
            perform { [self] in isToBeAskedAgain = deliver(value, index) }
            return isToBeAskedAgain ? .max(1) : .none
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
            perform { [self] in
                if isOver { return }
                if demand == .unlimited, !isOpen {
                    isOpen = true
                    for index in 0...1 where !hasEnded[index] { asks.append((index, .unlimited)) }
                }
                while let (index, value) = queue.first, demand > .none, !isClosed {
                    queue.removeFirst()
                    hear(value)
                    if !hasEnded[index], !isOpen { asks.append((index, .max(1))) }
                }
                finishIfDone()
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
            for (index, demand) in asks { calls[index].append(.request(demand)) }
            asks = []
        }

        private func deliver(_ value: Int, _ index: Int) -> Bool {
            if isOver || hasEnded[index] || isClosed { return false }
            if queue.isEmpty, demand > .none {
                hear(value)
                return !isOpen && !isClosed
            }
            queue.append((index, value))
            return false
        }

        private func hear(_ value: Int) {
            demand -= 1
            heard.append(.value(value))
            onDelivery()
        }

        private func finishIfDone() {
            if hasEnded == [true, true], queue.isEmpty { over(.finished) }
        }

        private func over(_ completion: Subscribers.Completion<TestFailure>?) {
            if isOver { return }
            isOver = true
            asks = []
            for index in 0...1 where !hasEnded[index] {
                calls[index].append(.cancel)
                isConnected[index] = false
            }
            if let completion, !isClosed { heard.append(.completion(completion)) }
            isClosed = true
        }
    }
}
