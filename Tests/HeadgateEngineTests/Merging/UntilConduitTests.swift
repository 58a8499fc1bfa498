import HeadgateCombine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class UntilConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for isDropping in [false, true] {
            explore(Act.whenConnected, upTo: 5, lateActs: 1, atLeast: 5_000) {
                try compare($0, isDropping: isDropping, isReentrant: false)
            }
        }
    }

    func test_doesWhatTheModelDoesWhenSubscriptionsArriveLate() {
        for isDropping in [false, true] {
            explore(Act.allCases, upTo: 4, lateActs: 2, atLeast: 5_000) {
                try compare($0, isDropping: isDropping, isReentrant: false, isLate: true)
            }
        }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        // A delivery needs a request and a value, and a drop its trigger before.
        let beginnings: [[Act]] = [[.request, .value], [.requestEverything, .value], [.request, .request, .value]]
        explore(Act.whenConnected, upTo: 4, after: beginnings, lateActs: 1) {
            try compare($0, isDropping: false, isReentrant: true)
        }
        explore(Act.whenConnected, upTo: 4, after: beginnings.map { [.trigger] + $0 }, lateActs: 1) {
            try compare($0, isDropping: true, isReentrant: true)
        }
        // Subscriptions from inside a delivery: the other publisher's, and a second one of upstream.
        explore(Act.allCases, upTo: 3, after: [[.connect, .requestEverything, .value]], lateActs: 1) {
            try compare($0, isDropping: false, isReentrant: true, isLate: true)
        }
    }

    private enum Act: CaseIterable {
        case request, requestEverything, value, finish, failure, trigger, triggerFinish, triggerFailure, cancel
        case connect, connectTrigger

        static let whenConnected = allCases.filter { $0 != .connect && $0 != .connectTrigger }
    }

    /// Plays a script to the conduit and to the model; the publishers go on talking after their ends.
    ///
    /// - Returns: Whether the stream is over.
    private func compare(
        _ script: [Act], isDropping: Bool, isReentrant: Bool, isLate: Bool = false
    ) throws -> ScriptFrontier<Act>.Standing {
        let hands = (0..<2).map { _ in
            TestPublisher<Int, TestFailure>(sendsSubscription: !isLate, keepsSubscribers: true)
        }
        var sent = 0
        var director: Director<Act>?
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        defer {
            director = nil
            subscriber.cancel()
        }
        director = Director(script, isReentrant: isReentrant) { act in
            switch act {
            case .request: subscriber.request(1)
            case .requestEverything: subscriber.request(.unlimited)
            case .value:
                sent += 1
                hands[0].force(sent)
            case .finish: hands[0].force(completion: .finished)
            case .failure: hands[0].force(completion: .failure(.first))
            case .trigger: hands[1].force(0)
            case .triggerFinish: hands[1].force(completion: .finished)
            case .triggerFailure: hands[1].force(completion: .failure(.second))
            case .cancel: subscriber.cancel()
            case .connect: hands[0].sendSubscription()
            case .connectTrigger: hands[1].sendSubscription()
            }
        }
        if isDropping {
            hands[0].drop(untilOutputFrom: hands[1]).subscribe(subscriber)
        } else {
            hands[0].prefix(untilOutputFrom: hands[1]).subscribe(subscriber)
        }
        director?.run()

        let model = Model(isDropping: isDropping)
        let modelDirector = Director(script, isReentrant: isReentrant) { model.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        if !isLate {
            model.act(.connectTrigger)
            model.act(.connect)
        }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("requested", hands.map(\.requested), model.requested)
        try expect("cancelled", hands.map(\.cancelCount), model.cancelCounts)
        try expect("breaches", subscriber.breaches, [])
        return model.isOver ? .over : .open
    }

    /// What the operators are, written down without regard to speed.
    private final class Model {
        enum Work {
            case connect(Int, isFirst: Bool)
            case value(Int)
            case end(Int, Subscribers.Completion<TestFailure>)
            case trigger
            case request(Subscribers.Demand)
            case cancel
        }

        var received: [StreamEvent<Int, TestFailure>] = []
        var requested = [Subscribers.Demand.none, .none]
        var cancelCounts = [0, 0]
        var isOver = false
        var onDelivery: (Int) -> Subscribers.Demand = { _ in .none }

        private let isDropping: Bool
        private var hasBeenTriggered = false
        private var sent = 0
        private var hasSentSubscription = [false, false]
        private var isConnected = [false, false]
        private var hasEnded = [false, false]
        private var demand = Subscribers.Demand.none
        private var isClosed = false
        private var waiting: [Work] = []
        private var isBusy = false

        /// What is requested when all else has been done, unless the stream is over by then.
        private var requests = [Subscribers.Demand.none, .none]

        init(isDropping: Bool) { self.isDropping = isDropping }

        func act(_ act: Act) {
            switch act {
            case .request: if !isClosed { perform(.request(.max(1))) }
            case .requestEverything: if !isClosed { perform(.request(.unlimited)) }
            case .value:
                sent += 1
                perform(.value(sent))
            case .finish: perform(.end(0, .finished))
            case .failure: perform(.end(0, .failure(.first)))
            case .trigger: perform(.trigger)
            case .triggerFinish: perform(.end(1, .finished))
            case .triggerFailure: perform(.end(1, .failure(.second)))
            case .cancel:
                if isClosed { return }
                isClosed = true
                perform(.cancel)
            case .connect, .connectTrigger:
                let side = act == .connect ? 0 : 1
                perform(.connect(side, isFirst: !exchange(&hasSentSubscription[side])))
            }
        }

        private func exchange(_ flag: inout Bool) -> Bool {
            defer { flag = true }
            return flag
        }

        private func perform(_ work: Work) {
            if isBusy { return waiting.append(work) }
            isBusy = true
            let answers = performNow(work)
            while !waiting.isEmpty {
                let more = performNow(waiting.removeFirst())
                for side in 0...1 where isConnected[side] && !hasEnded[side] { requests[side] += more[side] }
            }
            isBusy = false
            for side in 0...1 { requested[side] += answers[side] + requests[side] }
            requests = [.none, .none]
        }

        /// - Returns: The demand that each publisher gets for this.
        private func performNow(_ work: Work) -> [Subscribers.Demand] {
            if isClosed, !isOver { end(nil) }
            switch work {
            case .connect(let side, let isFirst):
                guard !hasEnded[side], !isConnected[side] else {
                    if isFirst { cancelCounts[side] += 1 }
                    break
                }
                isConnected[side] = true
                return side == 0 ? [demand, .none] : [.none, .max(1)]
            case .value(let value):
                if isOver { break }
                if isDropping, !hasBeenTriggered { return [.max(1), .none] }
                if demand == .none { break }
                demand -= 1
                received.append(.value(value))
                let more = onDelivery(value)
                demand += more
                return [more, .none]
            case .end(let side, let completion):
                if hasEnded[side] { break }
                hasEnded[side] = true
                if side == 0 || isDropping { end(completion) }
            case .trigger:
                if hasEnded[1] { break }
                if isDropping { hasBeenTriggered = true } else { end(.finished) }
                cancel(1)
            case .request(let more):
                if isOver { break }
                demand += more
                if isConnected[0] { requests[0] += more }
            case .cancel: break
            }
            return [.none, .none]
        }

        private func end(_ completion: Subscribers.Completion<TestFailure>?) {
            isOver = true
            requests = [.none, .none]
            for side in 0...1 { cancel(side) }
            if let completion, !isClosed { received.append(.completion(completion)) }
            isClosed = true
        }

        private func cancel(_ side: Int) {
            if isConnected[side], !hasEnded[side] { cancelCounts[side] += 1 }
            hasEnded[side] = true
        }
    }
}
