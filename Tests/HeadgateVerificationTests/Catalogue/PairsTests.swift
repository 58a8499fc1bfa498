import Headgate
import HeadgateTesting
import XCTest

@testable import HeadgateConformance

final class PairsTests: XCTestCase {
    private func stage(_ name: String) throws -> Stage {
        try XCTUnwrap(Pairs.families.flatMap(\.members).first { $0.name == name }, name)
    }

    private func source(_ name: String) throws -> Source {
        try XCTUnwrap(Source.all.first { $0.name == name }, name)
    }

    private func chain(
        _ sourceName: String, _ names: String..., demand: Pace.Demand = .unlimited, cancelsAfter: Int = 7
    ) throws -> Chain {
        Chain(
            source: try source(sourceName), stages: try names.map(stage),
            pace: Pace(demand: demand, cancelsAfter: cancelsAfter))
    }

    // MARK: The model

    func test_theModelGoesDepthFirst() throws {
        let expected = Expectation(try chain("[1, 2]", "flatMap", "flatMap to Just"))
        XCTAssertEqual(expected.values, [1, 11, 2, 12])
        XCTAssertEqual(expected.end, .finished)
        XCTAssertTrue(expected.isExact)
    }

    func test_theModelReadsEndlessListsLazily() throws {
        let expected = Expectation(try chain("(1...)", "flatMap", "filter", "zip(b)"))
        XCTAssertEqual(expected.values, [[2, 1], [12, 2], [4, 3]].map(\.number))
        XCTAssertEqual(expected.end, .finished)
    }

    func test_theModelNoticesThatItWouldNotEnd() throws {
        XCTAssertTrue(Expectation(try chain("(1...)", "ignoreOutput")).isEndless)
        XCTAssertTrue(Expectation(try chain("(1...)", "receive(on:)")).isEndless)
        XCTAssertFalse(Expectation(try chain("(1...)", "receive(on:)", demand: .oneByOne)).isEndless)
    }

    func test_theModelMergesByTime() throws {
        let expected = Expectation(try chain("subject 4 finished", "delay(for:)", "b.merge(with:)"))
        XCTAssertEqual(expected.values, [1, 2, 1, 2, 3, 4])
        XCTAssertEqual(Expectation(try chain("subject 4 finished", "flatMapLatest to delayed")).values, [1, 2, 3, 4])
        XCTAssertEqual(Expectation(try chain("[1, 2]", "flatMapLatest to delayed")).values, [2])
    }

    func test_theModelSaysNothingWhereDemandDecides() throws {
        XCTAssertTrue(Expectation(try chain("[1, 2]", "merge(with: b)", "collect", demand: .returned)).isExact)
        XCTAssertFalse(Expectation(try chain("[1, 2]", "merge(with: b)", "map", demand: .returned)).isExact)
    }

    // MARK: What it finds

    /// An operator whose model or whose work is wrong.
    private func broken(
        _ name: String, _ traits: Stage.Traits = [], _ make: @escaping (Stage.Stream) -> Stage.Stream
    ) -> Stage {
        .stage(name, { up, _ in make(up) }, traits) { $0 }
    }

    private func firstFailure(of stages: [Stage]) -> (chain: Chain, complaint: String)? {
        var pairs = Pairs()
        pairs.run(stages)
        return pairs.failures.first.map { ($0.chain, $0.complaint) }
    }

    func test_findsWhatIsLostAndShrinksIt() throws {
        let lossy = broken("lossy") { $0.filter { $0 != 2 }.eraseToAnyPublisher() }
        let failure = try XCTUnwrap(firstFailure(of: [stage("map"), lossy, stage("filter")].dropFirst().map { $0 }))
        XCTAssertEqual(failure.chain.stages.map(\.name), ["lossy"])
        XCTAssertEqual(failure.chain.source.name, "[1, 2]")
        XCTAssertEqual(failure.chain.pace, Pace(demand: .unlimited, cancelsAfter: 7))
        XCTAssertEqual(failure.complaint, "stalls: [1] finished, and not [1, 2] finished")
    }

    func test_findsWhatReadsWithoutEnd() throws {
        let eager = broken("eager") { up in
            up.buffer(size: 10_000, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
        }
        XCTAssertEqual(
            try XCTUnwrap(chain("(1...)", "map", demand: .oneByOne).with(eager).complaint()), "takes values without end"
        )
    }

    func test_findsRequestsWithoutDemand() throws {
        let early = broken("early") { $0.prefetch(2).eraseToAnyPublisher() }
        var chain = try chain("[1, 2]", "map", demand: .none).with(early)
        XCTAssertNil(chain.complaint())
        chain.form = .watched
        XCTAssertEqual(chain.complaint(), "early requests max(2) while nothing is requested of it")
    }

    func test_findsAPairOfWhichEitherIsRightAlone() throws {
        // Each forgets what it has counted on only when the other is there.
        let marking = broken("marking") { $0.map { $0 &+ 1000 }.eraseToAnyPublisher() }
        var right = marking
        right.model = { $0.map { $0 &+ 1000 } }
        let breaking = broken("breaking") { $0.filter { $0 < 1002 }.eraseToAnyPublisher() }
        let failure = try XCTUnwrap(firstFailure(of: [right, breaking]))
        XCTAssertEqual(failure.chain.stages.map(\.name), ["marking", "breaking"])
        XCTAssertEqual(failure.chain.source.name, "[1, 2]")
    }

    func test_printsAProgram() throws {
        let code = try chain("[1, 2]", "flatMap", "delay(for:)", demand: .oneByOne).code
        XCTAssertTrue(
            code.contains("let stage1 = source.flatMap { [$0, $0 &+ 10].publisher }.eraseToAnyPublisher()"), code)
        XCTAssertTrue(code.contains("stage1.delay(for: 2, scheduler: time).subscribe(subscriber)"), code)
    }

    // MARK: Hot sources

    func test_findsValuesThatAreLostByALateRequest() throws {
        let late = broken("late") { Tardy(upstream: $0, delays: .requests).eraseToAnyPublisher() }
        XCTAssertEqual(
            HotChain(stages: [late]).complaint?.prefix { $0 != ":" }, "requests late")
    }

    func test_findsACancellationThatWaits() throws {
        let late = broken("late") { Tardy(upstream: $0, delays: .cancellation).eraseToAnyPublisher() }
        XCTAssertEqual(
            HotChain(stages: [late]).complaint, "cancel() inside a delivery returns before it has reached the source")
    }

    func test_findsWhatIsDroppedThoughItWasRequested() throws {
        let lossy = broken("lossy") { up in
            up.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
        }
        XCTAssertEqual(HotChain(stages: [lossy]).complaint?.prefix { $0 != ":" }, "loses values")
    }

    // MARK: A sample

    func test_operatorsBesideEachOtherPublishWhatTheModelSays() throws {
        var pairs = Pairs()
        pairs.runTriples(1500, seed: 1)
        let names = [
            "map", "filter", "prefix(3)", "append(7, 8)", "flatMap to Just", "concatMap", "zip(b)", "prefetch(4)",
            "delay(for:)",
            "receive(on:)", "collect(3)", "retry(1)",
        ]
        for first in names {
            for second in names { pairs.run([try stage(first), try stage(second)]) }
        }
        XCTAssertFalse(pairs.hasFailures, pairs.report)
    }
}

extension Chain {
    fileprivate func with(_ stage: Stage) -> Chain {
        var chain = self
        chain.stages.append(stage)
        return chain
    }
}

/// Forwards what its subscriber requests, or its cancellation, only when the delivery in progress has returned.
// Chains run on one thread, but for a cancellation.
private struct Tardy<Upstream: Publisher>: Publisher, @unchecked Sendable {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    enum Part { case requests, cancellation }

    let upstream: Upstream
    let delays: Part

    func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
        upstream.receive(subscriber: Inner(subscriber, delays))
    }

    private final class Inner<S: Subscriber<Output, Failure>>: Subscriber, Subscription {
        private let downstream: S
        private let delays: Part
        private var subscription: (any Subscription)?
        private var isDelivering = false
        private var waiting: [() -> Void] = []

        init(_ downstream: S, _ delays: Part) { (self.downstream, self.delays) = (downstream, delays) }

        func receive(subscription: any Subscription) {
            self.subscription = subscription
            downstream.receive(subscription: self)
        }

        func receive(_ value: Output) -> Subscribers.Demand {
            isDelivering = true
            let more = downstream.receive(value)
            isDelivering = false
            while !waiting.isEmpty { waiting.removeFirst()() }
            return more
        }

        func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }

        func request(_ demand: Subscribers.Demand) {
            perform(.requests) { self.subscription?.request(demand) }
        }

        func cancel() {
            perform(.cancellation) { self.subscription?.cancel() }
        }

        private func perform(_ part: Part, _ work: @escaping () -> Void) {
            if isDelivering, delays == part { waiting.append(work) } else { work() }
        }
    }
}
