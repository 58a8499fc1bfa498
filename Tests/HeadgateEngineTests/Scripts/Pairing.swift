import HeadgateCombine
import HeadgateTesting
import HeadgateVerification
import TestSupport

/// A conduit that joins two publishers, and its model.
struct Pairing {
    typealias Hand = TestPublisher<Int, TestFailure>

    /// Attaches a subscriber to the two publishers.
    let connect: ([Hand], TestSubscriber<Int, TestFailure>) -> Void

    let makeModel: () -> DrainModel

    /// Of which publishers something may be requested while nothing is outstanding.
    var eager: Set<Int> = []

    /// Plays every script to both, from outside and from inside deliveries.
    func explore(upTo length: Int, file: StaticString = #filePath, line: UInt = #line) {
        HeadgateEngineTests.explore(StageAct.allCases, upTo: length, atLeast: 500, file: file, line: line) {
            try compare($0, isReentrant: false)
        }
        let beginnings: [[StageAct]] = [
            [.request], [.requestEverything], [.second, .request, .request], [.request, .request, .second],
            [.request, .first, .request, .second],
        ]
        HeadgateEngineTests.explore(
            StageAct.allCases, upTo: length - 1, after: beginnings, atLeast: 500, file: file, line: line
        ) { try compare($0, isReentrant: true) }
    }

    private func compare(_ script: [StageAct], isReentrant: Bool) throws -> ScriptFrontier<StageAct>.Standing {
        var early: [Int] = []
        let outstanding = Outstanding()
        let hands = (0..<2).map { index in
            Hand { _, _ in
                if !eager.contains(index), outstanding.demand == .none { early.append(index) }
            }
        }
        var director: Director<StageAct>?
        defer { director = nil }
        let subscriber = TestSubscriber<Int, TestFailure>(requesting: .none) { _, value in
            director?.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        outstanding.subscriber = subscriber
        let stage = Stage(
            send: { hands[$0].send($1) },
            end: { hands[$0].send(completion: $1) },
            requested: { hands[$0].isConnected ? hands[$0].requested : nil },
            request: { subscriber.request($0) },
            cancel: { subscriber.cancel() })
        director = Director(script, isReentrant: isReentrant) { stage.act($0) }
        connect(hands, subscriber)
        director?.run()

        let model = makeModel()
        let modelStage = Stage(
            send: { model.send($1, from: $0) },
            end: { model.end($0, $1) },
            requested: { model.isConnected[$0] ? model.requested[$0] : nil },
            request: { model.request($0) },
            cancel: { model.cancel() })
        let modelDirector = Director(script, isReentrant: isReentrant) { modelStage.act($0) }
        model.onDelivery = { value in
            modelDirector.delivery()
            return value.isMultiple(of: 3) ? .max(1) : .none
        }
        modelDirector.run()

        try expect("heard", Array(subscriber.received.dropFirst()), model.received)
        try expect("requested", hands.map(\.requested), model.requested)
        try expect("cancelled", hands.map(\.cancelCount), model.cancelCounts)
        try expect("breaches", subscriber.breaches, [])
        try expect("requested while nothing was outstanding", early, [])
        return model.isOver ? .over : modelStage.lastActDidSomething ? .open : .pruned
    }

    /// What a subscriber waits for: nothing once it is over.
    private final class Outstanding {
        weak var subscriber: TestSubscriber<Int, TestFailure>?
        var demand: Subscribers.Demand { subscriber?.outstanding ?? .none }
    }
}
