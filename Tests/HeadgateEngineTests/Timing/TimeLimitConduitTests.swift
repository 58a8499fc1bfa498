import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class TimeLimitConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        // In seconds. In some of them two limits are reached at the same time.
        let plans: [Plan] = [
            Plan(first: 2, between: nil, total: 2), Plan(first: 1, between: 2, total: 3),
            Plan(first: nil, between: 1, total: 2), Plan(first: 2, between: 1, total: nil),
            Plan(first: nil, between: nil, total: nil),
        ]
        for plan in plans {
            Waiting(
                connect: { hand, scheduler, _, subscriber in
                    TimeLimitConduit<Limit, Int, TestFailure, TestScheduler>(
                        first: plan.first.map { .seconds($0) }, between: plan.between.map { .seconds($0) },
                        total: plan.total.map { .seconds($0) }, scheduler: scheduler, options: nil,
                        AnySubscriber(subscriber), completion: { .failure($0.failure) }
                    )
                    .connect(hand, to: subscriber)
                }, makeModel: { Model(plan) }
            )
            .explore(upTo: 5, after: [[.request, .value, .tick], [.requestEverything, .value, .tick, .value]])
        }
    }

    private enum Limit: TimeLimit {
        case first, between, total

        /// The failure tells a limit for values from that for the whole stream.
        var failure: TestFailure { self == .total ? .first : .second }
    }

    private struct Plan {
        let first: Int?
        let between: Int?
        let total: Int?
    }

    /// What the limits are, written down without regard to speed.
    private final class Model: WaitingModel {
        private let plan: Plan
        private var last: Int?

        init(_ plan: Plan) {
            self.plan = plan
            super.init(countsDemandAtOnce: false)
        }

        /// The limit that is reached next: of two at the same time, that of the whole stream.
        private var next: (limit: Limit, date: Int)? {
            let value = last.map { last in plan.between.map { (Limit.between, last + $0) } }
            let limits = [plan.total.map { (Limit.total, $0) }, value ?? plan.first.map { (Limit.first, $0) }]
            return limits.compactMap { $0 }.enumerated().min { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
                .map { ($0.element.0, $0.element.1) }
        }

        override func begin() {
            if let next { setAlarm(at: next.date) }
        }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            let isFirst = last == nil
            last = now
            if isFirst {
                cancelAlarm()
                begin()
            }
            return deliver(value) ?? .none
        }

        override func serve(_ more: Subscribers.Demand) { makeRequest(0, more) }

        override func wake() {
            guard let next else { return }
            if next.date <= now { finish(.failure(next.limit.failure)) } else { begin() }
        }

        override func finishIfDone() {
            if let ending { finish(ending) }
        }
    }
}
