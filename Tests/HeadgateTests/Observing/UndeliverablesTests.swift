import Headgate
import HeadgateCore
import HeadgateTesting
import TestSupport
import XCTest

/// Signals that had nowhere to go in any stream of this process: the tests look for their own among them.
final class UndeliverablesTests: XCTestCase {
    private struct Lost: Error, Equatable {
        let stream: String
    }

    private final class Log: Sendable {
        private let lines = Guarded<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }

        func count(_ text: String) -> Int { lines.withLock { $0 }.count { $0.contains(text) } }
    }

    private let received = Log()

    override func setUp() { Undeliverables.observe { [received] in received.add("\($0)") } }

    override func tearDown() { Undeliverables.observe(nil) }

    private func count(_ text: String) -> Int { received.count(text) }

    private typealias Upstream = TestPublisher<Int, Lost>

    private struct Unmoved: TapObserver {}

    private enum Scope { @TaskLocal static var name = "" }

    /// Has an operator hear a failure after `cancel()`.
    private func failLate<P: Publisher>(_ name: String, _ make: (Upstream) -> P) {
        let upstream = Upstream(keepsSubscribers: true)
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.unlimited)
        make(upstream).subscribe(subscriber)
        subscriber.cancel()
        upstream.force(completion: .failure(Lost(stream: name)))
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(count("\"\(name)\""), 1, name)
    }

    func test_failuresThatWaitForTheOthersWhenTheSubscriberCancels() {
        func fail(_ name: String, _ make: (Upstream, Upstream) -> some Publisher<Int, CollectedFailures<Lost>>) {
            let (first, second) = (Upstream(), Upstream())
            let subscriber = TestSubscriber<Int, CollectedFailures<Lost>>.checked(.unlimited)
            make(first, second).subscribe(subscriber)
            first.send(1)
            second.send(2)
            second.fail(Lost(stream: name))
            XCTAssertEqual(count("\"\(name)\""), 0, name)
            subscriber.cancel()
            XCTAssertEqual(count("\"\(name)\""), 1, name)
        }
        fail("mergeDelayingFailures") { $0.mergeDelayingFailures(with: $1) }
        fail("mergeDelayingFailures, many") { [$0, $1].mergeDelayingFailures() }
        fail("flatMapDelayingFailures") { first, second in first.flatMapDelayingFailures { _ in second } }
    }

    func test_failuresThatAreReportedTogetherAreNotUndeliverable() {
        let (first, second) = (Upstream(), Upstream())
        let subscriber = TestSubscriber<Int, CollectedFailures<Lost>>.checked(.unlimited)
        first.mergeDelayingFailures(with: second).subscribe(subscriber)
        first.fail(Lost(stream: "first, together"))
        second.fail(Lost(stream: "second, together"))
        XCTAssertEqual(subscriber.failure?.all.count, 2)
        XCTAssertEqual(count("together"), 0)
    }

    func test_failuresBeforeTheOneThatEndsAStreamOfWhichAllFail() {
        let sides = (0..<3).map { _ in Upstream() }
        let subscriber = TestSubscriber<Int, Lost>.checked(.unlimited)
        sides.firstWithValue().subscribe(subscriber)
        sides[0].fail(Lost(stream: "one of three"))
        sides[1].finish()
        XCTAssertEqual(count("one of three"), 0, "another may still have a value")
        sides[2].fail(Lost(stream: "the last of three"))
        XCTAssertEqual(subscriber.failure, Lost(stream: "the last of three"))
        XCTAssertEqual(count("one of three"), 1)
        XCTAssertEqual(count("the last of three"), 0)
    }

    func test_aFailureAfterWhichAnotherSideHasAValueIsMadeUpFor() {
        let (first, second) = (Upstream(), Upstream())
        let subscriber = TestSubscriber<Int, Lost>.checked(.unlimited)
        first.firstWithValue(second).subscribe(subscriber)
        first.fail(Lost(stream: "made up for"))
        second.send(1)
        XCTAssertEqual(subscriber.values, [1])
        XCTAssertEqual(count("made up for"), 0)
    }

    func test_aFailureAfterCancelIsReceivedWhateverTheOperator() {
        failLate("prefix") { $0.prefix(5) }
        failLate("handleEvents") { $0.handleEvents(receiveOutput: { _ in }) }
        failLate("merge") { $0.merge(with: Upstream()) }
        failLate("zip") { $0.zip(Upstream()) }
        failLate("flatMap") { $0.flatMap { _ in Upstream() } }
        failLate("switchToLatest") { $0.flatMapLatest { _ in Upstream() } }
        failLate("append") { $0.append(Upstream()) }
        failLate("retry") { $0.retry(2) }
        failLate("receive") { $0.receive(on: ImmediateScheduler.shared) }
        failLate("buffer") { $0.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest) }
        failLate("groupBy") { $0.groupBy(limit: 2, whenFull: .drop) { $0 } }
        failLate("reduce") { $0.reduce(0, +) }
        failLate("replaceEmpty") { $0.replaceEmpty(with: 0) }
        failLate("prefix(untilOutputFrom:)") { $0.prefix(untilOutputFrom: Upstream()) }
        failLate("drop(untilOutputFrom:)") { Upstream().drop(untilOutputFrom: $0) }
        failLate("tap") { $0.tap(Unmoved()) }
        failLate("carrying") { $0.carrying(Scope.$name) }
        failLate("withLatestFrom") { $0.withLatestFrom(Upstream()) }
    }

    func test_aSinkThatHasCancelledReportsToo() {
        let upstream = Upstream(keepsSubscribers: true)
        upstream.sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
        upstream.force(completion: .failure(Lost(stream: "sink")))
        XCTAssertEqual(count("\"sink\""), 1)
    }

    func test_aWindowedSinkThatHasCancelledReportsToo() {
        let upstream = Upstream(keepsSubscribers: true)
        let sink = Subscribers.Windowed<Int, Lost>(size: 4, receiveCompletion: { _ in }, receiveValue: { _ in })
        upstream.subscribe(sink)
        sink.cancel()
        upstream.force(completion: .failure(Lost(stream: "windowedSink")))
        XCTAssertEqual(count("\"windowedSink\""), 1)
    }

    func test_aTaskThatHasItsValueReportsToo() async throws {
        let upstream = Upstream(keepsSubscribers: true) { upstream, _ in upstream.send(1) }
        let value = try await upstream.firstValue
        XCTAssertEqual(value, 1)
        upstream.force(completion: .failure(Lost(stream: "firstValue")))
        XCTAssertEqual(count("\"firstValue\""), 1)
    }

    func test_aFailureThatWaitsForADeliveryInWhichTheSubscriberCancelsIsReceived() {
        let (first, second) = (Upstream(), Upstream(keepsSubscribers: true))
        var sink: AnyCancellable?
        sink = first.merge(with: second).sink(
            receiveCompletion: { _ in XCTFail("completed") },
            receiveValue: { _ in
                sink?.cancel()
                second.force(completion: .failure(Lost(stream: "deferred")))
            })
        first.send(1)
        XCTAssertEqual(count("\"deferred\""), 1)
    }

    /// Has a subscriber receive a value, during which another upstream fails and then the subscriber cancels.
    private func failThenCancel<P: Publisher>(
        _ name: String, _ make: (Upstream, Upstream) -> P, before: (Upstream, Upstream) -> Void = { _, _ in }
    ) {
        let (first, second) = (Upstream(), Upstream(keepsSubscribers: true))
        var sink: AnyCancellable?
        var isFirst = true
        sink = make(first, second).sink(
            receiveCompletion: { _ in XCTFail("\(name) completed") },
            receiveValue: { _ in
                if !exchange(&isFirst, with: false) { return }
                second.force(completion: .failure(Lost(stream: name)))
                sink?.cancel()
            })
        before(first, second)
        first.send(1)
        XCTAssertEqual(count("\"\(name)\""), 1, name)
    }

    func test_aFailureThatWaitsForADeliveryAfterWhichTheSubscriberCancelsIsReceived() {
        let sendsFirst: (Upstream, Upstream) -> Void = { _, second in second.send(0) }
        failThenCancel("merge", { $0.merge(with: $1) })
        failThenCancel("zip", { $0.zip($1) }, before: sendsFirst)
        failThenCancel("combineLatest", { $0.combineLatest($1) }, before: sendsFirst)
        failThenCancel("withLatestFrom", { $0.withLatestFrom($1) { ($0, $1) } }, before: sendsFirst)
        failThenCancel("prefix(untilOutputFrom:)", { $0.prefix(untilOutputFrom: $1) })
        failThenCancel("flatMap", { first, second in second.flatMap { _ in first } }, before: sendsFirst)
        failThenCancel("switchToLatest", { first, second in second.flatMapLatest { _ in first } }, before: sendsFirst)
        failThenCancel(
            "flatMapSequential", { first, second in second.flatMapSequential(maxConcurrent: 2) { _ in first } },
            before: sendsFirst)
        failThenCancel("mergeSorted", { $0.mergeSorted(with: $1, by: <) }, before: sendsFirst)
        failThenCancel("amb", { Publishers.Merge($0, $1).amb(with: Empty(completeImmediately: false)) })
        failThenCancel("buffer", { $0.merge(with: $1).buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest) })
        failThenCancel("window", { Publishers.Merge($0, $1).window(count: 2, unread: .hold) })
        failThenCancel("window(on:)", { $0.window(on: $1, unread: .hold) })
        failThenCancel("groupBy", { Publishers.Merge($0, $1).groupBy(limit: 2, whenFull: .drop) { $0 } })
        failThenCancel("switchOnFirst", { Publishers.Merge($0, $1).switchOnFirst { _, values in values } })
    }

    func test_aFailureThatAWindowReceivesIsNotReportedThoughNoFurtherWindowIsWanted() {
        let upstream = Upstream()
        let reader = TestSubscriber<Int, Lost>.checked(.unlimited)
        let windows = upstream.window(count: 5, unread: .hold).sink(
            receiveCompletion: { _ in }, receiveValue: { $0.subscribe(reader) })
        upstream.send(1)
        windows.cancel()
        upstream.send(completion: .failure(Lost(stream: "read")))
        XCTAssertEqual(reader.completion, .failure(Lost(stream: "read")))
        XCTAssertEqual(count("\"read\""), 0)
    }

    func test_theFailureOfAnUpstreamThatHasBeenLeftIsReceived() {
        let subject = PassthroughSubject<Int, Lost>()
        let inners = [Upstream(keepsSubscribers: true), Upstream(keepsSubscribers: true)]
        let subscriber = TestSubscriber<Int, Lost>.checked(.unlimited)
        subject.flatMapLatest { inners[$0] }.subscribe(subscriber)
        subject.send(0)
        subject.send(1)
        inners[0].force(completion: .failure(Lost(stream: "left")))
        XCTAssertNil(subscriber.completion)
        XCTAssertEqual(count("\"left\""), 1)
    }

    func test_anEndThatIsNoFailureIsNot() {
        let upstream = Upstream(keepsSubscribers: true)
        let subscriber = TestSubscriber<Int, Lost>.checked(.unlimited)
        upstream.prefix(2).subscribe(subscriber)
        subscriber.cancel()
        upstream.force(completion: .finished)
        XCTAssertEqual(count("finished"), 0)
    }

    private struct Marked: Hashable, CustomStringConvertible {
        let description: String
    }

    /// Has a policy drop a value.
    private func drop<P: Publisher>(_ name: String, _ make: (PassthroughSubject<Marked, Never>) -> P) {
        let source = PassthroughSubject<Marked, Never>()
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.none)
        make(source).subscribe(subscriber)
        source.send(Marked(description: "first"))
        source.send(Marked(description: name))
        XCTAssertEqual(count("value(\(name))"), 1, name)
        subscriber.cancel()
    }

    func test_whatPoliciesDropIsReceived() {
        drop("onBackpressureDrop") { $0.onBackpressureDrop { _ in } }
        drop("onBackpressureBuffer") { $0.onBackpressureBuffer(limit: 1, whenFull: .dropNewest) }
    }

    func test_whatGroupsAndTurnsDropIsReceived() {
        let source = PassthroughSubject<Marked, Never>()
        let groups = source.groupBy(limit: 1, whenFull: .drop) { $0 }.sink { _ in }
        source.send(Marked(description: "kept"))
        source.send(Marked(description: "grouped"))
        XCTAssertEqual(count("value(grouped)"), 1)
        groups.cancel()
        let turns = source.flatMapFirst { _ in Empty<Int, Never>(completeImmediately: false) }.sink { _ in }
        source.send(Marked(description: "taken"))
        source.send(Marked(description: "refused"))
        XCTAssertEqual(count("value(refused)"), 1)
        turns.cancel()
        let expanded = TestSubscriber<Marked, Never>.checked(.unlimited)
        Just(Marked(description: "root"))
            .expand(.depthFirst, limit: 1, whenFull: .skip) { _ in Just(Marked(description: "leaf")) }
            .subscribe(expanded)
        XCTAssertEqual(count("value(leaf)"), 1)
    }

    func test_nothingIsReportedAfterwards() {
        Undeliverables.observe(nil)
        let source = PassthroughSubject<Marked, Never>()
        let subscriber = TestSubscriber<Marked, Never>.checked(.none)
        source.onBackpressureDrop { _ in }.subscribe(subscriber)
        source.send(Marked(description: "off"))
        XCTAssertEqual(count("off"), 0)
    }
}

final class UndeliverablesConcurrencyTests: XCTestCase {
    func test_observersComeAndGoWhileSignalsAreDropped() {
        struct Late: Error {}
        onThreads(4) { number in
            for _ in 0..<200 {
                if number == 0 {
                    Undeliverables.observe { _ in }
                    Undeliverables.observe(nil)
                } else {
                    let upstream = TestPublisher<Int, Late>(keepsSubscribers: true)
                    let subscriber = TestSubscriber<Int, Late>.checked(.unlimited)
                    upstream.prefix(2).subscribe(subscriber)
                    subscriber.cancel()
                    upstream.force(completion: .failure(Late()))
                }
            }
        }
        Undeliverables.observe(nil)
    }
}
