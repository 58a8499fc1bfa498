import HeadgateCombine
import HeadgateTesting
import HeadgateVerification
import TestSupport

/// What a publisher, its subscriber and the clock can do; a tick is a second.
enum WaitingAct: CaseIterable {
    case value, finish, failure, request, requestEverything, cancel, tick
}

/// The model of a conduit with one publisher, 0, whose values may wait.
class WaitingModel: DrainModel {
    final var now = 0

    /// The completion to be delivered once nothing waits.
    final var ending: Completion?

    /// The values that have been dropped.
    final var dropped: [Int] = []

    private var alarm: (date: Int, number: Int)?
    private var alarmCount = 0

    init(countsDemandAtOnce: Bool = true) { super.init(sides: 1, countsDemandAtOnce: countsDemandAtOnce) }

    /// Called when the stream of the script begins.
    func begin() {}

    /// Called when the alarm has gone off.
    func wake() {}

    func finishIfDone() {}

    final override func finished(_ side: Int) { keep(.finished) }

    final override func failed(_ side: Int, _ completion: Completion) { keep(completion) }

    private func keep(_ completion: Completion) {
        ending = completion
        finishIfDone()
    }

    final func setAlarm(at date: Int) {
        if alarm != nil { return }
        alarmCount += 1
        alarm = (date, alarmCount)
    }

    final func cancelAlarm() { alarm = nil }

    final func tick() {
        now += 1
        while let (date, number) = alarm, date <= now, !isOver {
            var wasHandled = false
            perform { [self] in
                wasHandled = true
                guard alarm?.number == number else { return }
                alarm = nil
                if !looksOver { wake() }
            }
            if !wasHandled { return }
        }
    }
}

/// Plays scripts to a conduit with one publisher whose values may wait, and to its model.
struct Waiting {
    typealias Hand = TestPublisher<Int, TestFailure>

    /// Attaches a subscriber; dropped values are passed to the closure.
    let connect: (Hand, TestScheduler, @escaping (Int) -> Void, TestSubscriber<Int, TestFailure>) -> Void

    let makeModel: () -> WaitingModel

    /// Plays every script to both, from outside and from inside deliveries.
    func explore(
        upTo length: Int, after beginnings: [[WaitingAct]], hasClock: Bool = true, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let acts = WaitingAct.allCases.filter { hasClock || $0 != .tick }
        for isReentrant in [false, true] {
            HeadgateEngineTests.explore(
                acts, upTo: length, after: [[]] + beginnings, atLeast: 400, file: file, line: line
            ) { try compare($0, isReentrant: isReentrant) }
        }
    }

    private func compare(_ script: [WaitingAct], isReentrant: Bool) throws -> ScriptFrontier<WaitingAct>.Standing {
        let hand = Hand()
        let scheduler = TestScheduler()
        var dropped: [Int] = []
        var director: Director<WaitingAct>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        let stage = Stage(
            requested: { hand.isConnected ? hand.requested : nil }, send: { hand.send($0) },
            end: { hand.send(completion: $0) }, request: { subscriber.request($0) }, cancel: { subscriber.cancel() },
            tick: { scheduler.advance(by: .seconds(1)) })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        connect(hand, scheduler, { dropped.append($0) }, subscriber)
        director?.run()

        let model = makeModel()
        let modelStage = Stage(
            requested: { model.isConnected[0] ? model.requested[0] : nil }, send: { model.send($0, from: 0) },
            end: { model.end(0, $0) }, request: { model.request($0) }, cancel: { model.cancel() },
            tick: { model.tick() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        model.perform { model.begin() }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("requested", hand.requested, model.requested[0])
        try expect("cancelled", hand.cancelCount, model.cancelCounts[0])
        try expect("dropped", dropped, model.dropped)
        try expect("breaches", subscriber.breaches, [])
        if model.isOver { try expect("timers left", scheduler.unfinished.count, 0) }
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    /// A publisher that keeps to the contract: it sends the numbers from one that were requested.
    private final class Stage {
        var lastActDidSomething = false

        private let requested: () -> Subscribers.Demand?
        private let send: (Int) -> Void
        private let end: (Subscribers.Completion<TestFailure>) -> Void
        private let request: (Subscribers.Demand) -> Void
        private let cancel: () -> Void
        private let tick: () -> Void
        private var sent = 0
        private var isSending = false

        init(
            requested: @escaping () -> Subscribers.Demand?, send: @escaping (Int) -> Void,
            end: @escaping (Subscribers.Completion<TestFailure>) -> Void,
            request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void, tick: @escaping () -> Void
        ) {
            self.requested = requested
            self.send = send
            self.end = end
            self.request = request
            self.cancel = cancel
            self.tick = tick
        }

        func act(_ act: WaitingAct) {
            lastActDidSomething = true
            switch act {
            case .value: sendNext()
            case .finish: end(with: .finished)
            case .failure: end(with: .failure(.first))
            case .request: request(.max(1))
            case .requestEverything: request(.unlimited)
            case .cancel: cancel()
            case .tick: tick()
            }
        }

        private func sendNext() {
            guard !isSending, let requested = requested(), requested > sent else {
                lastActDidSomething = false
                return
            }
            sent += 1
            isSending = true
            send(sent)
            isSending = false
        }

        private func end(with completion: Subscribers.Completion<TestFailure>) {
            if isSending || requested() == nil { lastActDidSomething = false } else { end(completion) }
        }
    }
}
