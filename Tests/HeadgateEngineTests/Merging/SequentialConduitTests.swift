import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

final class SequentialConduitTests: XCTestCase {
    func test_doesWhatTheModelDoesInEveryOrderOfEvents() {
        for (limit, prefetch) in [(1, 1), (2, 2)] {
            play(limit, prefetch).explore(upTo: 5, isReentrant: false)
            let beginnings: [[FlatteningAct]] = [
                [.request, .outerFirst, .outerSecond, .second], [.request, .outerFirst, .first, .first],
            ]
            play(limit, prefetch).explore(upTo: 4, after: limit == 1 ? [[]] : beginnings, isReentrant: false)
        }
    }

    func test_doesWhatTheModelDoesWhenEventsComeFromInsideDeliveries() {
        let beginnings: [[FlatteningAct]] = [
            [.request, .outerFirst, .first], [.requestEverything, .outerFirst, .first],
            [.request, .outerFirst, .outerSecond, .second, .first], [.request, .outerFirst, .outerSole],
        ]
        play(2, 2).explore(upTo: 4, after: beginnings, isReentrant: true)
    }

    private func play(_ limit: Int, _ prefetch: Int) -> Flattening {
        Flattening(
            connect: { outer, subscriber in
                SequentialConduit.connect(outer, limit: limit, prefetch: prefetch, to: subscriber) { $0 }
            }, makeModel: { Model(limit: limit, prefetch: prefetch) },
            examine: { requested, delivered, _ in
                try expect("requested with what has been replaced", requested, .max(prefetch + delivered))
            })
    }

    /// What delivering several publishers in order is, written down without regard to speed.
    private final class Model: FlatteningModel {
        private struct Line {
            let side: Int
            var values: [Int] = []
            var ending: Completion?
        }

        private let limit: Int
        private let prefetch: Int
        private var lines: [Line] = []
        private var ending: Completion?

        private var isOuterRequested = false

        /// How many publishers are to be requested from the outer one while there is demand, and nothing else is.
        private var places = 0

        init(limit: Int, prefetch: Int) {
            self.limit = limit
            self.prefetch = prefetch
            super.init(countsDemandAtOnce: true)
        }

        override func add(_ side: Int) { lines.append(Line(side: side)) }

        override func add(sole value: Int) { send(value, from: 0) }

        override func firstDemand(of side: Int) -> Subscribers.Demand? { .max(prefetch) }

        override func take(_ value: Int, from side: Int) -> Subscribers.Demand {
            if side == 0 { return take(sole: value) }
            guard let index = lines.firstIndex(where: { $0.side == side }) else { return .none }
            if index == 0, lines[0].values.isEmpty, deliver(value) != nil { return isClosed ? .none : .max(1) }
            lines[index].values.append(value)
            return .none
        }

        private func take(sole value: Int) -> Subscribers.Demand {
            guard lines.isEmpty, deliver(value) != nil else {
                lines.append(Line(side: 0, values: [value], ending: .finished))
                return .none
            }
            if demand > .none, !isClosed, requests.isEmpty || isRequesting { return .max(1) }
            places += 1
            return .none
        }

        override func nextRequest() -> (side: Int, demand: Subscribers.Demand)? {
            guard places > 0, demand > .none, !isClosed, !hasEnded[0] else { return nil }
            defer { places = 0 }
            return (0, .max(places))
        }

        override func finished(_ side: Int) { keep(.finished, of: side) }

        override func failed(_ side: Int, _ completion: Completion) { keep(completion, of: side) }

        private func keep(_ completion: Completion, of side: Int) {
            guard let index = lines.firstIndex(where: { $0.side == side }) else { return }
            lines[index].ending = completion
            if index == 0 { serve(.none) }
        }

        override func outerEnded(_ completion: Completion) {
            ending = completion
            if lines.isEmpty { finish(completion) }
        }

        override func serve(_ more: Subscribers.Demand) {
            if !isOuterRequested, !hasEnded[0], demand > .none, !isClosed {
                isOuterRequested = true
                places += limit
            }
            while !lines.isEmpty {
                var room = 0
                while let value = lines[0].values.first, demand > .none, !isClosed {
                    lines[0].values.removeFirst()
                    room += 1
                    _ = deliver(value)
                }
                if looksOver { return }
                guard lines[0].values.isEmpty, let completion = lines[0].ending else {
                    return makeRequest(lines[0].side, .max(room))
                }
                if completion != .finished { return finish(completion) }
                lines.removeFirst()
                places += 1
            }
            if let ending { finish(ending) }
        }
    }
}
