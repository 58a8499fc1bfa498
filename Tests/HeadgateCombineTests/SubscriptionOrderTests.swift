import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Rule 1.7: an operator subscribes to its first upstream, and hands its own subscription down after that.
///
/// So a subscriber that requests values inside `receive(subscription:)`, and then has the source send some, receives them.
final class SubscriptionOrderTests: XCTestCase {
    private typealias Source = PassthroughSubject<Int, TestFailure>

    func test_whatASubjectSendsInsideReceiveSubscriptionArrives_1_7() {
        for row in rows {
            XCTAssertGreaterThan(row.check(TestScheduler()), 0, row.name)
        }
    }

    /// One operator, and how to count what arrives of the values that are sent inside `receive(subscription:)`.
    private struct Row {
        let name: String
        let check: (TestScheduler) -> Int
    }

    /// Makes a row of an operator that needs so many values to publish one.
    private func row<P: Publisher>(
        _ name: String, values: Int = 1, ends: Subscribers.Completion<TestFailure>? = nil,
        _ make: @escaping (Source, TestScheduler) -> P
    ) -> Row {
        Row(name: name) { scheduler in
            let source = Source()
            let pipeline = make(source, scheduler)
            var received = 0
            var cancel: (() -> Void)?
            pipeline.subscribe(
                AnySubscriber<P.Output, P.Failure>(
                    receiveSubscription: { subscription in
                        cancel = { subscription.cancel() }
                        subscription.request(.unlimited)
                        // What has to happen for a request to reach upstream through a scheduler.
                        scheduler.advance(by: 1)
                        for value in 0..<values { source.send(value) }
                        if let ends { source.send(completion: ends) }
                    },
                    receiveValue: { _ in
                        received += 1
                        return .none
                    },
                    receiveCompletion: { _ in }))
            scheduler.advance(by: 5)
            cancel?()
            return received
        }
    }

    private var rows: [Row] { transforming + filtering + selecting + timing + joining + sharing }

    private var transforming: [Row] {
        [
            row("map") { source, _ in source.map { $0 + 1 } },
            row("tryMap") { source, _ in source.tryMap { $0 + 1 } },
            row("map key path") { source, _ in source.map(\.description) },
            row("mapError") { source, _ in source.mapError { $0 } },
            row("scan") { source, _ in source.scan(0, +) },
            row("tryScan") { source, _ in source.tryScan(0) { $0 + $1 } },
            row("replaceNil") { source, _ in source.map { Optional($0) }.replaceNil(with: 0) },
            row("unwrap") { source, _ in source.map { Optional($0) }.unwrap() },
            row("setFailureType") { source, _ in
                source.replaceError(with: 0).setFailureType(to: TestFailure.self)
            },
            row("handleEvents") { source, _ in source.handleEvents(receiveOutput: { _ in }) },
            row("handleEvents of requests") { source, _ in source.handleEvents(receiveRequest: { _ in }) },
            row("print") { source, _ in source.print("", to: Nowhere()) },
            row("breakpoint") { source, _ in source.breakpoint(receiveOutput: { _ in false }) },
            row("breakpointOnError") { source, _ in source.breakpointOnError() },
            row("assertNoFailure") { source, _ in source.assertNoFailure() },
            row("eraseToAnyPublisher") { source, _ in source.eraseToAnyPublisher() },
        ]
    }

    private var filtering: [Row] {
        [
            row("filter") { source, _ in source.filter { _ in true } },
            row("tryFilter") { source, _ in source.tryFilter { _ in true } },
            row("compactMap") { source, _ in source.compactMap { $0 } },
            row("tryCompactMap") { source, _ in source.tryCompactMap { $0 } },
            row("removeDuplicates") { source, _ in source.removeDuplicates() },
            row("tryRemoveDuplicates") { source, _ in source.tryRemoveDuplicates { $0 == $1 } },
            row("replaceEmpty") { source, _ in source.replaceEmpty(with: 0) },
            row("replaceError") { source, _ in source.replaceError(with: 0) },
            row("dropFirst", values: 2) { source, _ in source.dropFirst() },
            row("drop(while:)") { source, _ in source.drop { _ in false } },
            row("tryDrop(while:)") { source, _ in source.tryDrop { _ in false } },
            row("drop(untilOutputFrom:)") { source, _ in
                source.drop(untilOutputFrom: Just(1).setFailureType(to: TestFailure.self))
            },
            row("prefix") { source, _ in source.prefix(1) },
            row("prefix(while:)") { source, _ in source.prefix { _ in true } },
            row("tryPrefix(while:)") { source, _ in source.tryPrefix { _ in true } },
            row("prefix(untilOutputFrom:)") { source, _ in
                source.prefix(untilOutputFrom: Empty<Int, TestFailure>(completeImmediately: false))
            },
        ]
    }

    private var selecting: [Row] {
        [
            row("first") { source, _ in source.first() },
            row("first(where:)") { source, _ in source.first { _ in true } },
            row("last", ends: .finished) { source, _ in source.last() },
            row("last(where:)", ends: .finished) { source, _ in source.last { _ in true } },
            row("output(at:)") { source, _ in source.output(at: 0) },
            row("output(in:)") { source, _ in source.output(in: 0..<1) },
            row("count", ends: .finished) { source, _ in source.count() },
            row("min", ends: .finished) { source, _ in source.min() },
            row("max", ends: .finished) { source, _ in source.max() },
            row("reduce", ends: .finished) { source, _ in source.reduce(0, +) },
            row("collect", ends: .finished) { source, _ in source.collect() },
            row("collect(1)") { source, _ in source.collect(1) },
            row("contains") { source, _ in source.contains(0) },
            row("contains(where:)") { source, _ in source.contains { _ in true } },
            row("allSatisfy", ends: .finished) { source, _ in source.allSatisfy { _ in true } },
        ]
    }

    private var timing: [Row] {
        [
            row("receive(on:)") { source, scheduler in source.receive(on: scheduler) },
            // Not `subscribe(on:)`: a request goes through the scheduler, after the job that subscribes.
            row("delay") { source, scheduler in source.delay(for: 1, scheduler: scheduler) },
            row("debounce") { source, scheduler in source.debounce(for: 1, scheduler: scheduler) },
            row("throttle") { source, scheduler in source.throttle(for: 1, scheduler: scheduler, latest: true) },
            row("timeout") { source, scheduler in source.timeout(100, scheduler: scheduler) },
            row("measureInterval") { source, scheduler in source.measureInterval(using: scheduler) },
            row("collect(byTime)") { source, scheduler in source.collect(.byTime(scheduler, 1)) },
            row("collect(byTimeOrCount)") { source, scheduler in
                source.collect(.byTimeOrCount(scheduler, 1, 1))
            },
        ]
    }

    private var joining: [Row] {
        [
            row("append") { source, _ in source.append(1) },
            row("prepend to another") { source, _ in Empty<Int, TestFailure>().prepend(source) },
            row("nested append") { source, _ in source.append(1).append(2) },
            row("catch") { source, _ in source.catch { _ in Just(1) } },
            row("tryCatch") { source, _ in source.tryCatch { _ in Just(1) } },
            row("retry") { source, _ in source.retry(1) },
            row("merge") { source, _ in source.merge(with: Empty(completeImmediately: false)) },
            row("flatMap") { source, _ in
                source.flatMap { Just($0).setFailureType(to: TestFailure.self) }
            },
            row("switchToLatest") { source, _ in
                source.map { Just($0).setFailureType(to: TestFailure.self) }.switchToLatest()
            },
            row("zip") { source, _ in source.zip(source) },
            row("combineLatest") { source, _ in source.combineLatest(source) },
            row("buffer") { source, _ in source.buffer(size: 8, prefetch: .keepFull, whenFull: .dropOldest) },
        ]
    }

    private var sharing: [Row] {
        [
            row("share") { source, _ in Connected(source.share()) },
            row("makeConnectable") { source, _ in Connected(source.assertNoFailure().makeConnectable().autoconnect()) },
        ]
    }
}

/// Has a subscriber already, so that a further one meets a connection.
private struct Connected<Upstream: Publisher>: Publisher {
    typealias Output = Upstream.Output
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    private let first: any Cancellable

    init(_ upstream: Upstream) {
        self.upstream = upstream
        first = upstream.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    }

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.receive(subscriber: subscriber)
        withExtendedLifetime(first) {}
    }
}

private struct Nowhere: TextOutputStream {
    mutating func write(_ string: String) {}
}
