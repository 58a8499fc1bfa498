import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class SamplingConduitTests: XCTestCase {
    func test_sampledAnyNumberOfTimesItDoesWhatTheModelDoesInEveryOrderOfEvents() { check(.anyNumberOfTimes) }

    func test_sampledOnceItDoesWhatTheModelDoesInEveryOrderOfEvents() { check(.once) }

    private typealias Conduit = SamplingConduit<Int, Int, Int, TestFailure>

    private func check(_ use: Conduit.Use) {
        for sampledFirst in [true, false] {
            Pairing(
                connect: { hands, subscriber in
                    let conduit = Conduit(name: "Sampling", use: use, AnySubscriber(subscriber)) { $0 * 100 + $1 }
                    conduit.connect(subscriber) { driver, sampled in
                        if sampledFirst { hands[1].receive(subscriber: sampled) }
                        hands[0].receive(subscriber: driver)
                        if !sampledFirst { hands[1].receive(subscriber: sampled) }
                    }
                }, makeModel: { Model(isOnce: use == .once) }, eager: [1]
            )
            .explore(upTo: 5)
        }
    }

    /// What a driver and what it samples do, written down without regard to speed.
    private final class Model: DrainModel {
        private let isOnce: Bool
        private var latest: Int?

        init(isOnce: Bool) {
            self.isOnce = isOnce
            super.init()
            requested[1] = .unlimited
        }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            if side == 1 {
                latest = value
                return .none
            }
            guard let sample = latest else { return .max(1) }
            if demand == .none { return .none }
            if isOnce { latest = nil }
            let more = deliver(value * 100 + sample) ?? .none
            if isOnce, hasEnded[1] { finish(.finished) }
            return more
        }

        override func finished(_ side: Int) {
            if side == 0 || isOnce && latest == nil { finish(.finished) }
        }

        override func serve(_ more: Subscribers.Demand) { makeRequest(0, more) }
    }
}
