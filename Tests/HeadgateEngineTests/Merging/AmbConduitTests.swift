import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class AmbConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        Pairing(
            connect: { AmbConduit.connect($0.map { $0.receive }, to: $1) }, makeModel: { Model() }
        )
        .explore(upTo: 5)
    }

    /// What the first of two to say something is, written down without regard to speed.
    private final class Model: DrainModel {
        private var winner: Int?

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            winner = side
            cancel(1 - side)
            return deliver(value) ?? .none
        }

        override func finished(_ side: Int) { finish(.finished) }

        override func serve(_ more: Subscribers.Demand) {
            for side in 0...1 { makeRequest(side, more) }
        }
    }
}
