import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

final class GroupConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for rule in Rule.allCases {
            for idling in [nil, 2] {
                let beginnings: [[Act]] = [[], [.first, .second], [.first, .second, .first, .tick, .third]]
                explore(Act.allCases, upTo: 4, after: beginnings, atLeast: 1_000) { try compare($0, rule, idling) }
            }
        }
    }

    private enum Act: CaseIterable {
        /// A value of each of three keys.
        case first, second, third
        case tick, finish, failure, cancel

        var key: Int? { [.first: 1, .second: 2, .third: 3][self] }
    }

    private enum Rule: CaseIterable { case fail, finishIdlest, drop }

    private typealias Group = Branch<GroupLabel<Int, TestTime>, Int, TestFailure>

    /// Plays a script to the conduit, with room for two groups, and to the model.
    private func compare(_ script: [Act], _ rule: Rule, _ idling: Int?) throws -> ScriptFrontier<Act>.Standing {
        let hand = TestPublisher<Int, TestFailure>()
        let scheduler = TestScheduler()
        var log: [String] = []
        var readers: [TestSubscriber<Int, TestFailure>] = []
        let subscriber = TestSubscriber<Group, TestFailure>(requesting: .unlimited) { _, group in
            let key = group.label.key
            log.append("open \(key)")
            let reader = TestSubscriber<Int, TestFailure>(requesting: .unlimited) { _, value in
                log.append("\(key): \(value)")
                return .none
            } onCompletion: { _, completion in
                log.append("\(key) \(completion)")
            }
            readers.append(reader)
            BranchValues(branch: group).receive(subscriber: reader)
            return .none
        } onCompletion: { _, completion in
            log.append("\(completion)")
        }
        let conduit = GroupConduit<Int, Int, TestFailure, TestScheduler>(
            groupLimit: 2, buffer: 4,
            whenFull: rule == .fail ? .fail { .second } : rule == .drop ? .drop : .makeRoom,
            idling: idling.map { TimeSpan(.seconds($0), on: scheduler) }, onDrop: { log.append("dropped \($0)") },
            makeKey: { $0 / 100 }, AnySubscriber(subscriber))
        conduit.connect(hand, to: subscriber)
        let model = Model(rule, idling)
        for (index, act) in script.enumerated() {
            if let key = act.key {
                let value = key * 100 + index
                try expect("sending \(value)", hand.send(value), model.isListening)
                model.send(value, key: key)
            } else {
                model.act(act)
                switch act {
                case .tick: scheduler.advance(by: .seconds(1))
                case .finish: hand.finish()
                case .failure: hand.fail(.first)
                default: subscriber.cancel()
                }
            }
            try expect("log", log, model.log)
            try expect("cancelled", hand.cancelCount, model.isCancelled ? 1 : 0)
            try expect("breaches", subscriber.breaches + readers.flatMap(\.breaches), [])
        }
        if !model.isListening { try expect("timers left", scheduler.unfinished.count, 0) }
        return model.isListening ? .open : .over
    }

    /// What dividing values into at most two groups is, written down without regard to speed.
    private final class Model {
        var log: [String] = []
        var isListening = true
        var isCancelled = false

        private let rule: Rule
        private let idling: Int?
        private var now = 0
        private var count = 0
        private var isAbandoned = false

        /// The groups, the least recently used first.
        private var groups: [(key: Int, order: Int, lastUse: Int)] = []

        init(_ rule: Rule, _ idling: Int?) {
            self.rule = rule
            self.idling = idling
        }

        func send(_ value: Int, key: Int) {
            if !isListening { return }
            if let index = groups.firstIndex(where: { $0.key == key }) {
                let group = groups.remove(at: index)
                groups.append((key, group.order, now))
            } else {
                if isAbandoned || groups.count == 2 && !makeRoom() { return log.append("dropped \(value)") }
                groups.append((key, count, now))
                count += 1
                log.append("open \(key)")
            }
            log.append("\(key): \(value)")
        }

        private func makeRoom() -> Bool {
            switch rule {
            case .drop: return false
            case .finishIdlest:
                endIdlest()
                return true
            case .fail:
                isCancelled = true
                end(.failure(.second))
                return false
            }
        }

        private func endIdlest() { log.append("\(groups.removeFirst().key) finished") }

        func act(_ act: Act) {
            if !isListening { return }
            switch act {
            case .tick:
                now += 1
                while let idling, let first = groups.first, first.lastUse + idling <= now { endIdlest() }
                stopIfUnread()
            case .finish: end(.finished)
            case .failure: end(.failure(.first))
            default:
                isAbandoned = true
                stopIfUnread()
            }
        }

        private func end(_ completion: Subscribers.Completion<TestFailure>) {
            isListening = false
            for group in groups.sorted(by: { $0.order < $1.order }) { log.append("\(group.key) \(completion)") }
            if !isAbandoned { log.append("\(completion)") }
        }

        /// Once cancelled, the stream goes on for the groups that there are.
        private func stopIfUnread() {
            if isAbandoned, groups.isEmpty {
                isListening = false
                isCancelled = true
            }
        }
    }
}
