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
