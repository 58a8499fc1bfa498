import HeadgateCombine
import HeadgateTesting
import HeadgateVerification
import TestSupport

/// What an outer publisher, two inner ones and their subscriber can do.
enum FlatteningAct: CaseIterable {
    /// The outer publisher publishes the first inner one, the second, and one of a single value.
    case outerFirst, outerSecond, outerSole
    case outerFinish, outerFailure
    case first, second, firstFinish, secondFinish, firstFailure, secondFailure
    case request, requestEverything, cancel
}

/// The model of a conduit that flattens: publisher 0 is the outer one, 1 and 2 are the inner ones.
class FlatteningModel: DrainModel {
    /// Whether the conduit has the subscription of each publisher.
    private var attached = [true, false, false]

    init(countsDemandAtOnce: Bool = false) {
        super.init(sides: 3, countsDemandAtOnce: countsDemandAtOnce)
        isConnected = [true, false, false]
    }

    override func isAttached(_ side: Int) -> Bool { attached[side] }

    /// Called when the outer publisher has published an inner one.
    func add(_ side: Int) {}

    /// Called when the outer publisher has published one of a single value.
    func add(sole value: Int) {}

    /// The demand for an inner publisher that has been attached; `nil` if it isn't wanted any more.
    func firstDemand(of side: Int) -> Subscribers.Demand? { nil }

    func outerEnded(_ completion: Completion) {}

    /// Called when the outer publisher has sent something.
    final func sendOuter(_ side: Int) {
        if isClosed || hasEnded[0] { return }
        isConnected[side] = true
        perform { [self] in
            if !looksOver { add(side) }
        }
        // Where nothing else is being handled, it is requested as soon as that has been left.
        let isDirect = !isBusy
        var direct = Subscribers.Demand.none
        perform { [self] in
            let demand = looksOver ? nil : firstDemand(of: side)
            attached[side] = true
            guard let demand else { return cancelUnwanted(side) }
            if isDirect { direct = demand } else { makeRequest(side, demand) }
        }
        requested[side] += direct
    }

    private func cancelUnwanted(_ side: Int) {
        // Even if it has ended meanwhile: its completion waits behind its subscription.
        cancelCounts[side] += 1
        isConnected[side] = false
        hasEnded[side] = true
    }

    final func sendOuter(sole value: Int) {
        if !isClosed, !hasEnded[0] { add(sole: value) }
    }

    final func endOuter(_ completion: Completion) {
        if !isConnected[0] { return }
        isConnected[0] = false
        perform { [self] in
            if hasEnded[0] { return }
            hasEnded[0] = true
            if !looksOver { outerEnded(completion) }
        }
    }
}

/// Plays scripts to a conduit that flattens, and to its model.
struct Flattening {
    typealias Inner = AnyPublisher<Int, TestFailure>
    typealias Outer = TestPublisher<Inner, TestFailure>
    typealias Hand = TestPublisher<Int, TestFailure>

    let connect: (Outer, TestSubscriber<Int, TestFailure>) -> Void

    let makeModel: () -> FlatteningModel

    typealias Examination =
        (_ requested: Subscribers.Demand, _ delivered: Int, _ outstanding: Subscribers.Demand) throws -> Void

    /// Throws unless what has been requested from an inner publisher that is going is what the operator promises for the number of its
    /// values that have been delivered, and for what the subscriber has requested beyond those.
    // Beside the model, which is changed together with the engine and may repeat its mistakes.
    var examine: Examination = { _, _, _ in }

    func explore(
        _ acts: [FlatteningAct] = FlatteningAct.allCases, upTo length: Int, after beginnings: [[FlatteningAct]] = [[]],
        isReentrant: Bool, file: StaticString = #filePath, line: UInt = #line
    ) {
        HeadgateEngineTests.explore(acts, upTo: length, after: beginnings, atLeast: 500, file: file, line: line) {
            try compare($0, isReentrant: isReentrant)
        }
    }

    private func compare(
        _ script: [FlatteningAct], isReentrant: Bool
    ) throws -> ScriptFrontier<FlatteningAct>.Standing {
        let outer = Outer()
        let hands = [Hand(), Hand()]
        var director: Director<FlatteningAct>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        let stage = Stage(
            isConnected: { $0 == 0 ? outer.isConnected : hands[$0 - 1].isConnected },
            requested: { $0 == 0 ? outer.requested : hands[$0 - 1].requested },
            sendOuter: { outer.send(hands[$0 - 1].eraseToAnyPublisher()) },
            sendSole: {
                // Not by `setFailureType(to:)`, whose result for a `Just` hides that there is one value.
                outer.send(Publishers.SetFailureType<Just, TestFailure>(upstream: Just($0)).eraseToAnyPublisher())
            },
            send: { hands[$0 - 1].send($1) },
            end: { if $0 == 0 { outer.send(completion: $1) } else { hands[$0 - 1].send(completion: $1) } },
            request: { subscriber.request($0) }, cancel: { subscriber.cancel() })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        connect(outer, subscriber)
        director?.run()

        let model = makeModel()
        let modelStage = Stage(
            isConnected: { model.isConnected[$0] }, requested: { model.requested[$0] },
            sendOuter: { model.sendOuter($0) }, sendSole: { model.sendOuter(sole: $0) },
            send: { model.send($1, from: $0) },
            end: { if $0 == 0 { model.endOuter($1) } else { model.end($0, $1) } },
            request: { model.request($0) }, cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("requested", [outer.requested] + hands.map(\.requested), model.requested)
        try expect("cancelled", [outer.cancelCount] + hands.map(\.cancelCount), model.cancelCounts)
        try expect("breaches", subscriber.breaches, [])
        for (side, hand) in zip(1..., hands) where hand.isConnected && !model.isOver {
            try examine(hand.requested, subscriber.values.count { $0 / 10 == side }, subscriber.outstanding)
        }
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    /// Publishers that keep to the contract: they send what was requested, and each inner one is published once.
    private final class Stage {
        var lastActDidSomething = false

        private let isConnected: (Int) -> Bool
        private let requested: (Int) -> Subscribers.Demand
        private let sendOuter: (Int) -> Void
        private let sendSole: (Int) -> Void
        private let send: (Int, Int) -> Void
        private let end: (Int, Subscribers.Completion<TestFailure>) -> Void
        private let request: (Subscribers.Demand) -> Void
        private let cancel: () -> Void
        private var sent = [0, 0, 0]
        private var soles = 0
        private var isSending = [false, false, false]
        private var wasPublished = [false, false, false]

        init(
            isConnected: @escaping (Int) -> Bool, requested: @escaping (Int) -> Subscribers.Demand,
            sendOuter: @escaping (Int) -> Void, sendSole: @escaping (Int) -> Void,
            send: @escaping (Int, Int) -> Void,
            end: @escaping (Int, Subscribers.Completion<TestFailure>) -> Void,
            request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void
        ) {
            self.isConnected = isConnected
            self.requested = requested
            self.sendOuter = sendOuter
            self.sendSole = sendSole
            self.send = send
            self.end = end
            self.request = request
            self.cancel = cancel
        }

        func act(_ act: FlatteningAct) {
            lastActDidSomething = true
            switch act {
            case .outerFirst: publish(1)
            case .outerSecond: publish(2)
            case .outerSole:
                sendNext(0) { [self] in
                    soles += 1
                    sendSole(30 + soles)
                }
            case .outerFinish: end(0, with: .finished)
            case .outerFailure: end(0, with: .failure(.first))
            case .first: sendNext(1) { [self] in send(1, 10 + sent[1]) }
            case .second: sendNext(2) { [self] in send(2, 20 + sent[2]) }
            case .firstFinish: end(1, with: .finished)
            case .secondFinish: end(2, with: .finished)
            case .firstFailure: end(1, with: .failure(.first))
            case .secondFailure: end(2, with: .failure(.second))
            case .request: request(.max(1))
            case .requestEverything: request(.unlimited)
            case .cancel: cancel()
            }
        }

        private func publish(_ side: Int) {
            if wasPublished[side] {
                lastActDidSomething = false
            } else {
                sendNext(0) { [self] in
                    wasPublished[side] = true
                    sendOuter(side)
                }
            }
        }

        private func sendNext(_ side: Int, _ send: () -> Void) {
            guard !isSending[side], isConnected(side), requested(side) > sent[side] else {
                lastActDidSomething = false
                return
            }
            sent[side] += 1
            isSending[side] = true
            send()
            isSending[side] = false
        }

        private func end(_ side: Int, with completion: Subscribers.Completion<TestFailure>) {
            if isSending[side] || !isConnected(side) {
                lastActDidSomething = false
            } else {
                end(side, completion)
            }
        }
    }
}
