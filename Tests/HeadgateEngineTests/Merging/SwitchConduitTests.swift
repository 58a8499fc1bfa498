import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class SwitchConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for finishesWithInner in [false, true] {
            play(finishesWithInner).explore(upTo: 5, isReentrant: false)
            let beginnings: [[FlatteningAct]] = [
                [.request, .outerFirst], [.requestEverything, .outerFirst],
                [.request, .request, .outerFirst, .outerSecond],
            ]
            play(finishesWithInner).explore(upTo: 4, after: beginnings, isReentrant: false)
        }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        let beginnings: [[FlatteningAct]] = [
            [.request, .outerFirst, .first], [.requestEverything, .outerFirst, .first], [.request, .outerSole],
            [.requestEverything, .outerSole], [.request, .outerFirst, .request, .outerSole],
        ]
        for finishesWithInner in [false, true] {
            play(finishesWithInner).explore(upTo: 4, after: beginnings, isReentrant: true)
        }
    }

    private func play(_ finishesWithInner: Bool) -> Flattening {
        Flattening(
            connect: { SwitchConduit.connect($0, finishesWithInner: finishesWithInner, to: $1) },
            makeModel: { Model(finishesWithInner: finishesWithInner) },
            examine: { requested, delivered, outstanding in
                if requested != .unlimited || outstanding != .unlimited {
                    try expect("requested beyond what has been delivered", requested - delivered, outstanding)
                }
            })
    }

    /// What switching to the most recent of several publishers is, written down without regard to speed.
    private final class Model: FlatteningModel {
        private let finishesWithInner: Bool

        /// The most recent publisher: 1, 2, or from 3 on one of a single value.
        private var inner: Int?
        private var soles: [Int] = []
        private var innerHasEnded = true
        private var hasRequestedOuter = false

        init(finishesWithInner: Bool) {
            self.finishesWithInner = finishesWithInner
            super.init()
        }

        override func add(_ side: Int) {
            replace(by: side)
            innerHasEnded = false
        }

        private func replace(by side: Int?) {
            if let inner, inner < 3 { cancel(inner) }
            inner = side
        }

        override func add(sole value: Int) {
            var isDelivered = false
            let side = 3 + soles.count
            soles.append(value)
            performIfIdle { [self] in
                isDelivered = looksOver || demand > .none
                if isOver || !isDelivered { return }
                replace(by: nil)
                innerHasEnded = true
                _ = deliver(value)
                if !looksOver { hasOneLess() }
            }
            if isDelivered { return }
            perform { [self] in
                if !looksOver { add(side) }
            }
            perform { [self] in
                if !looksOver, inner == side { makeRequest(side, demand) }
            }
        }

        override func request(_ demand: Subscribers.Demand, fromOther side: Int) {
            var wasWanted = false
            perform { [self] in
                wasWanted = !looksOver && inner == side && !innerHasEnded
                if wasWanted { _ = deliver(soles[side - 3]) }
            }
            perform { [self] in
                if looksOver || inner != side || innerHasEnded { return }
                innerHasEnded = true
                hasOneLess()
            }
        }

        override func firstDemand(of side: Int) -> Subscribers.Demand? { inner == side ? demand : nil }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            side == inner ? deliver(value) ?? .none : .none
        }

        override func finished(_ side: Int) {
            if side != inner { return }
            innerHasEnded = true
            hasOneLess()
        }

        override func outerEnded(_ completion: Completion) {
            if completion == .finished { hasOneLess() } else { finish(completion) }
        }

        private func hasOneLess() {
            if hasEnded[0] || finishesWithInner, innerHasEnded { finish(.finished) }
        }

        override func serve(_ more: Subscribers.Demand) {
            if !hasRequestedOuter {
                hasRequestedOuter = true
                makeRequest(0, .unlimited)
            }
            if let inner, inner < 3 || !innerHasEnded { makeRequest(inner, more) }
        }
    }
}
