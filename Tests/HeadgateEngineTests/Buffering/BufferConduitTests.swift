import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class BufferConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEventsWhateverItDropsAndRequests() {
        for whenFull in Full.allCases {
            for size in 0...2 { play(size, nil, whenFull, expiry: nil).explore(upTo: 5, after: [], hasClock: false) }
        }
        for (count, step) in [(1, 1), (2, 2), (3, 2)] {
            play(.max, (count, step), .dropNewest, expiry: nil).explore(upTo: 6, after: [], hasClock: false)
        }
    }

    func test_doesWhatTheModelDoesInEveryOrderOfEventsWhenValuesExpire() {
        let beginnings: [[WaitingAct]] = [[.value, .tick, .value], [.request, .value, .value, .tick]]
        for whenFull in Full.allCases { play(2, nil, whenFull, expiry: 2).explore(upTo: 4, after: beginnings) }
    }

    private enum Full: CaseIterable { case dropNewest, dropOldest, fail }

    private func play(_ size: Int, _ ahead: (Int, step: Int)?, _ whenFull: Full, expiry: Int?) -> Waiting {
        Waiting(
            connect: { hand, scheduler, onDrop, subscriber in
                let rule: OverflowRule<TestFailure> =
                    switch whenFull {
                    case .dropNewest: .drop
                    case .dropOldest: .makeRoom
                    case .fail: .fail { .second }
                    }
                BufferConduit<Int, TestFailure, TestScheduler>(
                    name: "Buffer", size: size, requesting: ahead.map { .max($0.0) } ?? .unlimited,
                    step: ahead.map { .max($0.step) } ?? .none, whenFull: rule,
                    expiry: expiry.map { TimeSpan(.seconds($0), on: scheduler) }, onDrop: onDrop, subscriber
                )
                .connect(hand, to: subscriber)
            }, makeModel: { Model(size, ahead, whenFull, expiry: expiry) })
    }

    /// What a buffer is, written down without regard to speed.
    private final class Model: WaitingModel {
        private let size: Int
        private let step: Int?
        private let whenFull: Full
        private let expiry: Int?
        private var queue: [(value: Int, arrival: Int)] = []
        private var delivered = 0

        init(_ size: Int, _ ahead: (Int, step: Int)?, _ whenFull: Full, expiry: Int?) {
            self.size = size
            self.whenFull = whenFull
            self.expiry = expiry
            step = ahead?.step
            super.init()
            requested[0] = ahead.map { .max($0.0) } ?? .unlimited
        }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            if ending != nil { return .none }
            if queue.isEmpty, deliver(value) != nil { return demandAfterDelivery() }
            dropExpired()
            if looksOver { return .none }
            if queue.count >= size {
                if whenFull == .fail {
                    cancel(0)
                    ending = .failure(.second)
                }
                guard whenFull == .dropOldest, size > 0 else {
                    dropped.append(value)
                    finishIfDone()
                    return .none
                }
                dropped.append(queue.removeFirst().value)
            }
            queue.append((value, now))
            setAlarm()
            return .none
        }

        /// What is requested for each `step` values that have been delivered.
        private func demandAfterDelivery() -> Subscribers.Demand {
            delivered += 1
            guard let step, delivered.isMultiple(of: step), !isClosed else { return .none }
            return .max(step)
        }

        private func dropExpired() {
            guard let expiry else { return }
            while let first = queue.first, first.arrival + expiry <= now { dropped.append(queue.removeFirst().value) }
        }

        private func setAlarm() {
            if let expiry, let first = queue.first { setAlarm(at: first.arrival + expiry) }
        }

        override func wake() {
            dropExpired()
            setAlarm()
            finishIfDone()
        }

        override func serve(_ more: Subscribers.Demand) {
            dropExpired()
            var due = Subscribers.Demand.none
            while let first = queue.first, demand > .none, !isClosed {
                queue.removeFirst()
                _ = deliver(first.value)
                due += demandAfterDelivery()
            }
            if looksOver { return }
            makeRequest(0, due)
            finishIfDone()
        }

        override func finishIfDone() {
            if let ending, queue.isEmpty { finish(ending) }
        }
    }
}
