import Foundation
import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

final class BroadcastTests: XCTestCase {
    private typealias Listener = TestSubscriber<Int, TestFailure>

    private let upstream = TestPublisher<Int, TestFailure>()

    func test_beginsWhenEnoughSubscribersAreThere() {
        let shared = upstream.broadcast(to: 2)
        let (first, second) = (Listener(.unlimited), Listener(.unlimited))
        shared.subscribe(first)
        XCTAssertEqual(upstream.subscriptionCount, 0)
        shared.subscribe(second)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        upstream.send(1)
        upstream.fail(.first)
        for listener in [first, second] {
            XCTAssertEqual(listener.values, [1])
            XCTAssertEqual(listener.failure, .first)
        }
    }

    func test_requestsNothingWithoutDemand() {
        let shared = upstream.broadcast(limit: 16)
        let listener = Listener(.none)
        shared.subscribe(listener)
        XCTAssertEqual(upstream.requested, .none)
        listener.request(.max(3))
        XCTAssertEqual(upstream.requested, .max(3))
    }

    func test_theSlowestHoldsUpstreamBackAfterTheLimit() {
        let shared = upstream.broadcast(to: 2, limit: 3)
        let (fast, slow) = (Listener(.unlimited), Listener(.none))
        shared.subscribe(fast)
        shared.subscribe(slow)
        XCTAssertEqual(upstream.requested, .max(3))
        (1...5).forEach { upstream.send($0) }
        XCTAssertEqual(fast.values, [1, 2, 3])
        slow.request(.max(2))
        XCTAssertEqual(slow.values, [1, 2])
        XCTAssertEqual(upstream.requested, .max(5))
        (4...9).forEach { upstream.send($0) }
        XCTAssertEqual(fast.values, [1, 2, 3, 4, 5])
        slow.cancel()
        XCTAssertEqual(upstream.outstanding, .max(3))
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_everySubscriberGetsEverythingWhateverItsPace() {
        for limit in [1, 2, 7, .max] {
            let shared = (0..<1000).publisher.broadcast(to: 3, limit: limit)
            let listeners = [DemandScript.unlimited, .oneByOne, .oneByOneReentrantly].map {
                TestSubscriber<Int, Never>.checked($0)
            }
            for listener in listeners { shared.subscribe(listener) }
            for listener in listeners {
                XCTAssertEqual(listener.values, Array(0..<1000), "limit \(limit)")
                XCTAssertTrue(listener.hasFinished)
            }
        }
    }

    func test_whoComesLateReceivesWhatComesFromThenOn() {
        let shared = upstream.broadcast(limit: 2)
        let (early, late) = (Listener(.unlimited), Listener(.none))
        shared.subscribe(early)
        upstream.send(1)
        shared.subscribe(late)
        (2...6).forEach { upstream.send($0) }
        XCTAssertLessThanOrEqual(early.values.count, 3)
        late.request(.max(1))
        XCTAssertEqual(late.values, [2])
    }

    func test_theLastToCancelCancelsUpstreamAndAllBeginsAnew() {
        let shared = upstream.broadcast(to: 2)
        let listeners = (0..<2).map { _ in Listener(.unlimited) }
        for listener in listeners { shared.subscribe(listener) }
        for listener in listeners { listener.cancel() }
        XCTAssertEqual(upstream.cancelCount, 1)
        let others = (0..<2).map { _ in Listener(.unlimited) }
        shared.subscribe(others[0])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        shared.subscribe(others[1])
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_aSubscriberThatCancelsInsideADeliveryLetsTheOthersGoOn() {
        let shared = (1...10).publisher.broadcast(to: 2, limit: 1)
        let (leaving, staying) = (
            TestSubscriber<Int, Never>.checked(.cancelling(atValue: 2)), TestSubscriber<Int, Never>.checked(.oneByOne)
        )
        shared.subscribe(leaving)
        shared.subscribe(staying)
        leaving.request(.max(2))
        XCTAssertEqual(staying.values, Array(1...10))
    }

    private enum Move: CaseIterable { case send, requestByFirst, requestBySecond, cancelFirst, end }

    /// Every order of sends, requests, a cancellation and the end, against what is to be expected after each.
    func test_inEveryOrderOfSixMovesNobodyGetsAheadAndNobodyWaitsForNothing() {
        let moves = Move.allCases
        let faults = Guarded<[String]>([])
        let threads = ProcessInfo.processInfo.activeProcessorCount
        onThreads(threads) { number in
            for script in stride(from: number, to: 15_625, by: threads) {
                let order = (0..<6).map { place in moves[(0..<place).reduce(script) { rest, _ in rest / 5 } % 5] }
                if let fault = self.fault(of: order, limit: 2) {
                    return faults.withLock { $0.append("\(order): \(fault)") }
                }
            }
        }
        XCTAssertEqual(faults.withLock { $0 }, [])
    }

    /// What is wrong after some moves, if anything is.
    private func fault(of order: [Move], limit: Int) -> String? {
        let upstream = TestPublisher<Int, TestFailure>()
        let shared = upstream.broadcast(to: 2, limit: limit)
        let listeners = [Listener(.none), Listener(.none)]
        for listener in listeners { shared.subscribe(listener) }
        var (sent, demand, isThere, hasEnded, requested) = (0, [0, 0], [true, true], false, 0)
        for move in order {
            switch move {
            case .send: if upstream.send(sent) { sent += 1 }
            case .requestByFirst:
                demand[0] += 1
                listeners[0].request(.max(1))
            case .requestBySecond:
                demand[1] += 1
                listeners[1].request(.max(1))
            case .cancelFirst:
                isThere[0] = false
                listeners[0].cancel()
            case .end:
                hasEnded = true
                upstream.finish()
            }
            let present = [0, 1].filter { isThere[$0] }
            for index in present {
                let count = min(sent, demand[index])
                if listeners[index].values != Array(0..<count) { return "\(index) got \(listeners[index].values)" }
                if listeners[index].hasFinished != (hasEnded && count == sent) { return "\(index) at its end" }
            }
            if hasEnded { continue }
            let slowest = present.map { min(sent, demand[$0]) }.min() ?? 0
            requested = max(requested, min(present.map { demand[$0] }.max() ?? 0, slowest + limit))
            if upstream.requested != .max(requested) { return "\(upstream.requested) instead of \(requested)" }
        }
        return listeners.flatMap(\.breaches).first.map { "\($0)" }
    }

    /// Subscribers that come, request and leave in a random order, against what is to be requested after each.
    func test_requestsWhatTheForemostNeedsAndTheSlowestPermitsWhoeverLeaves() {
        for seed in 0..<UInt64(Scale.reduced(400)) {
            var generator = SeededGenerator(seed: seed)
            let upstream = TestPublisher<Int, TestFailure>()
            let limit = Int.random(in: 1...3, using: &generator)
            let shared = upstream.broadcast(limit: limit)
            var present: [(listener: Listener, start: Int, demand: Int)] = []
            var (sent, requested) = (0, 0)
            for number in 0..<60 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0...1:
                    present.append((Listener(.none), sent, 0))
                    shared.subscribe(present.last!.listener)
                // One stays: otherwise all would begin anew.
                case 2 where present.count > 1:
                    present.remove(at: .random(in: present.indices, using: &generator)).listener.cancel()
                case 3...5 where !present.isEmpty:
                    let index = Int.random(in: present.indices, using: &generator)
                    let demand = Int.random(in: 1...3, using: &generator)
                    present[index].demand += demand
                    present[index].listener.request(.max(demand))
                default: if upstream.send(sent) { sent += 1 }
                }
                let slowest = present.map { min(sent, $0.start + $0.demand) }.min() ?? 0
                let foremost = present.map { $0.start + $0.demand }.max() ?? 0
                let goal = min(foremost, slowest + limit)
                requested = max(requested, goal)
                XCTAssertEqual(upstream.requested, .max(requested), "seed \(seed), move \(number)")
                for (listener, start, demand) in present {
                    XCTAssertEqual(
                        listener.values, Array((start..<sent).prefix(demand)), "seed \(seed), move \(number)")
                }
            }
        }
    }

    func test_carriesAMillionValuesWithoutKeepingThem() {
        let count = Scale.reduced(1_000_000)
        let shared = (0..<count).publisher.broadcast(to: 2, limit: 64)
        let (fast, slow) = (CountingSubscriber<Int, Never>(requesting: .unlimited), CountingSubscriber<Int, Never>())
        shared.subscribe(fast)
        shared.subscribe(slow)
        XCTAssertEqual([fast.count, slow.count], [count, count])
    }

    func test_releasesWhatItHasKeptWhenAllHaveCancelled() {
        weak var kept: Tracked?
        let source = TestPublisher<Tracked, Never>()
        let shared = source.broadcast(to: 2, limit: 4)
        let slow = TestSubscriber<Tracked, Never>.checked(.none)
        let fast = shared.sink { _ in }
        shared.subscribe(slow)
        do {
            let value = Tracked()
            kept = value
            source.send(value)
        }
        XCTAssertNotNil(kept)
        slow.cancel()
        XCTAssertNil(kept)
        fast.cancel()
    }
}

final class BroadcastConcurrencyTests: XCTestCase {
    func test_subscribersOnSeveralThreadsAllGetEverything() {
        let shared = (0..<2000).publisher.broadcast(to: 4, limit: 8)
        let listeners = (0..<4).map { _ in TestSubscriber<Int, Never>.checked(.none) }
        for listener in listeners { shared.subscribe(listener) }
        onThreads(4) { number in
            for _ in 0..<2000 { listeners[number].request(.max(1)) }
        }
        for listener in listeners {
            XCTAssertTrue(waitUntil { listener.hasFinished })
            XCTAssertEqual(listener.values, Array(0..<2000))
        }
    }
}
