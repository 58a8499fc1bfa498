import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class BatchConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for weighs in [false, true] {
            Waiting(
                connect: { hand, scheduler, _, subscriber in
                    // A batch is one number: its values are the digits.
                    let digits = AnySubscriber<[Int], TestFailure>(
                        receiveSubscription: { subscriber.receive(subscription: $0) },
                        receiveValue: { subscriber.receive(Model.number($0)) },
                        receiveCompletion: { subscriber.receive(completion: $0) })
                    BatchConduit(
                        limit: 2, weigh: weighs ? { Model.weight($0) } : nil,
                        haste: TimeSpan(.seconds(2), on: scheduler), digits
                    )
                    .connect(hand, to: digits)
                }, makeModel: { Model(weighs: weighs) }
            )
            .explore(
                upTo: 4,
                after: [
                    [.request, .value, .value], [.requestEverything, .value], [.request, .value, .tick],
                    [.request, .request, .value, .value, .tick],
                ])
        }
    }

    /// What collecting batches of two is, each of which waits for two seconds, written down without regard to speed.
    private final class Model: WaitingModel {
        private let weighs: Bool
        private var batch: [Int] = []
        private var beginning: Int?
        private var isDue = false
        private var underWay = 0

        init(weighs: Bool) {
            self.weighs = weighs
            super.init()
        }

        static func number(_ batch: [Int]) -> Int { batch.reduce(0) { $0 * 10 + $1 } }

        /// The second value fills a batch alone, and the third counts at least one.
        static func weight(_ value: Int) -> Int { value == 2 ? 2 : value == 3 ? 0 : 1 }

        private var weight: Int { weighs ? batch.reduce(0) { $0 + max(1, Model.weight($1)) } : batch.count }

        private var room: Subscribers.Demand {
            if weight >= 2 || demand == .none || hasEnded[0] || isClosed { return .none }
            let room = weighs ? 1 - underWay : 2 - weight - underWay
            if room <= 0 { return .none }
            underWay += room
            return .max(room)
        }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            underWay -= 1
            if batch.isEmpty {
                beginning = now
                setAlarm(at: now + 2)
            }
            batch.append(value)
            if isComplete { finishIfDone() } else if !weighs { return .none }
            return isOver ? .none : room
        }

        private var isComplete: Bool { weight >= 2 || isDue || ending != nil }

        override func serve(_ more: Subscribers.Demand) {
            if isComplete { finishIfDone() }
            if !looksOver { makeRequest(0, room) }
        }

        override func wake() {
            guard let beginning else { return }
            if beginning + 2 > now { return setAlarm(at: beginning + 2) }
            isDue = true
            serve(.none)
        }

        override func finishIfDone() {
            if !batch.isEmpty {
                if demand == .none || isClosed { return }
                let whole = batch
                batch = []
                beginning = nil
                isDue = false
                _ = deliver(Model.number(whole))
            }
            if let ending, !looksOver { finish(ending) }
        }
    }
}
