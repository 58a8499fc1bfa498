import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Operators that join publishers, one after another: none of them pulls before it has been requested from.
final class NothingBeforeDemandTests: XCTestCase {
    private typealias Chain = AnyPublisher<Int, Never>

    /// Natural numbers that end after far more values than any chain here has a reason to read.
    private final class Numbers {
        private(set) var read = 0

        var publisher: some Publisher<Int, Never> {
            AnyIterator { [self] () -> Int? in
                if read == 5_000 { return nil }
                read += 1
                return read
            }.publisher
        }
    }

    /// Each joining operator as it comes after another one.
    private let operators: [(name: String, apply: (Chain) -> Chain)] = [
        ("flatMap", { $0.flatMap { Just($0) }.eraseToAnyPublisher() }),
        ("flatMap of sequences", { $0.flatMap { [$0].publisher }.eraseToAnyPublisher() }),
        ("flatMap one at a time", { $0.flatMap(maxPublishers: .max(1)) { Just($0) }.eraseToAnyPublisher() }),
        (
            "flatMap of sequences, one at a time",
            { $0.flatMap(maxPublishers: .max(1)) { [$0].publisher }.eraseToAnyPublisher() }
        ),
        ("concatMap", { $0.concatMap { [$0].publisher }.eraseToAnyPublisher() }),
        ("flatMapSequential", { $0.flatMapSequential(maxConcurrent: 2) { [$0].publisher }.eraseToAnyPublisher() }),
        ("switchToLatest", { $0.map { Just($0) }.switchToLatest().eraseToAnyPublisher() }),
        ("switchToLatest of sequences", { $0.map { [$0].publisher }.switchToLatest().eraseToAnyPublisher() }),
        ("buffer", { $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher() }),
        ("buffer, kept full", { $0.buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher() }),
        (
            "prefix until",
            { $0.prefix(untilOutputFrom: Empty<Int, Never>(completeImmediately: false)).eraseToAnyPublisher() }
        ),
        ("merge", { $0.merge(with: Empty()).eraseToAnyPublisher() }),
        ("merge with what never ends", { $0.merge(with: Empty(completeImmediately: false)).eraseToAnyPublisher() }),
        ("zip", { $0.zip(Always(0)).map { $0.0 }.eraseToAnyPublisher() }),
        ("combineLatest", { Just(0).combineLatest($0).map { $0.1 }.eraseToAnyPublisher() }),
        ("amb", { $0.amb(Empty(completeImmediately: false)).eraseToAnyPublisher() }),
        ("append", { $0.append(Empty()).eraseToAnyPublisher() }),
        ("conflate", { $0.conflate(into: { $0 }, { $0 += 0 * $1 }).eraseToAnyPublisher() }),
    ]

    /// Those that request unlimited values, and drop what demand doesn't cover.
    private let dropping: Set = ["buffer", "switchToLatest", "switchToLatest of sequences", "conflate"]

    /// Those that attach further publishers later, which may be subjects: what requests unlimited values doesn't wait then.
    private let attaching: Set = [
        "flatMap", "flatMap of sequences", "flatMap one at a time", "flatMap of sequences, one at a time", "concatMap",
        "flatMapSequential", "switchToLatest", "switchToLatest of sequences", "append",
    ]

    func test_everyPairTakesTheFirstValuesOfAnEndlessSource() {
        // What drops values without demand comes last.
        for first in operators where !dropping.contains(first.name) {
            for second in operators {
                let numbers = Numbers()
                var received: [Int] = []
                let chain = second.apply(first.apply(numbers.publisher.eraseToAnyPublisher()))
                let sink = chain.prefix(4).sink { received.append($0) }
                XCTAssertEqual(received, [1, 2, 3, 4], "\(first.name), then \(second.name)")
                XCTAssertLessThan(numbers.read, 100, "\(first.name), then \(second.name)")
                sink.cancel()
            }
        }
    }

    func test_noPairReadsAnythingBeforeItIsRequestedFrom() {
        for first in operators {
            for second in operators {
                let numbers = Numbers()
                let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
                second.apply(first.apply(numbers.publisher.eraseToAnyPublisher())).subscribe(subscriber)
                let readsAhead = [first.name, second.name].contains("buffer, kept full")
                // What drops values reads on until the buffer is full, which it never is.
                if readsAhead, dropping.contains(first.name) { continue }
                if attaching.contains(first.name), ["buffer", "conflate"].contains(second.name) { continue }
                XCTAssertLessThanOrEqual(numbers.read, readsAhead ? 6 : 0, "\(first.name), then \(second.name)")
                subscriber.cancel()
            }
        }
    }

    func test_noPairReadsFarAheadOfDemandThatComesOneByOne() {
        let operators = operators.filter { !dropping.contains($0.name) }
        // Requests any number of publishers, unless it knows that upstream waits for demand.
        let unlimited: Set = ["flatMap", "flatMap of sequences"]
        for first in operators {
            for second in operators where !unlimited.contains(second.name) {
                let numbers = Numbers()
                let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
                second.apply(first.apply(numbers.publisher.eraseToAnyPublisher())).subscribe(subscriber)
                for _ in 1...20 { subscriber.request(1) }
                XCTAssertEqual(subscriber.values, Array(1...20), "\(first.name), then \(second.name)")
                XCTAssertLessThan(numbers.read, 100, "\(first.name), then \(second.name)")
                subscriber.cancel()
            }
        }
    }

    func test_aFlatMapWithoutALimitReadsNoFurtherThanDemandWhereUpstreamWaits() {
        for apply in operators.prefix(2).map(\.apply) {
            let numbers = Numbers()
            let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
            apply(numbers.publisher.filter { $0 % 2 == 0 }.eraseToAnyPublisher()).subscribe(subscriber)
            subscriber.request(3)
            XCTAssertEqual(subscriber.values, [2, 4, 6])
            XCTAssertEqual(numbers.read, 6)
            subscriber.request(.unlimited)
            XCTAssertEqual(subscriber.values, stride(from: 2, through: 5_000, by: 2).map { $0 })
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_publishersThatAnswerAtOnceComeOutDepthFirst() {
        XCTAssertEqual(
            collected([1, 2, 3].publisher.flatMap { [$0, $0 + 10].publisher }.flatMap { Just($0) }),
            [1, 11, 2, 12, 3, 13])
        let merged = Publishers.MergeMany([[1, 2].publisher, [3, 4].publisher])
        XCTAssertEqual(collected(merged.flatMap { Just($0) }), [1, 2, 3, 4])
        let pairs = [1, 2, 3].publisher.flatMap { [$0, $0 + 10].publisher }
        XCTAssertEqual(collected(pairs.merge(with: Empty())), [1, 11, 2, 12, 3, 13])
        XCTAssertEqual(
            collected(pairs.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest)), [1, 11, 2, 12, 3, 13])
        XCTAssertEqual(
            collected(pairs.collect(2).flatMap { $0.publisher }), [1, 11, 2, 12, 3, 13])
    }

    private func collected(_ publisher: some Publisher<Int, Never>) -> [Int] {
        var values: [Int] = []
        publisher.sink { values.append($0) }.cancel()
        return values
    }

    func test_aSharedEndlessSourceEndsWithItsLastSubscriber() {
        let shares: [(Chain) -> Chain] = [
            { $0.share().eraseToAnyPublisher() },
            { $0.share(replay: 2).eraseToAnyPublisher() },
            { $0.shareReplay(capacity: 2).eraseToAnyPublisher() },
            { $0.makeConnectable().autoconnect().eraseToAnyPublisher() },
            { $0.multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher() },
            {
                $0.multicast { PassthroughSubject() }.autoconnect(after: 1, scheduler: ImmediateScheduler.shared)
                    .eraseToAnyPublisher()
            },
        ]
        for (index, share) in shares.enumerated() {
            let numbers = Numbers()
            var received: [Int] = []
            let shared = share(numbers.publisher.eraseToAnyPublisher())
            // Connecting to a source that delivers at once returns only when it has been cancelled.
            shared.prefix(3).sink { received.append($0) }.cancel()
            XCTAssertEqual(received, [1, 2, 3], "\(index)")
            XCTAssertLessThan(numbers.read, 10, "\(index)")
            shared.prefix(1).sink { received.append($0) }.cancel()
            XCTAssertEqual(received.count, 4, "a new subscriber gets a new connection, or what was kept: \(index)")
        }
    }

    func test_whatWaitsForDemandIsReadOnlyWhenTheOperatorsAfterItAreConnected() {
        let waiting: [(name: String, apply: (Chain) -> Chain)] = [
            ("prefetch", { $0.prefetch(4).eraseToAnyPublisher() }),
            ("prefetch, low", { $0.prefetch(3, low: 2).eraseToAnyPublisher() }),
            (
                "buffer, kept full",
                { $0.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher() }
            ),
            ("batchWhileBusy", { $0.batchWhileBusy(limit: 1).map { $0[0] }.eraseToAnyPublisher() }),
            ("mergeSorted", { [$0, Empty().eraseToAnyPublisher()].mergeSorted(by: <).eraseToAnyPublisher() }),
            ("shareReplay", { $0.shareReplay(capacity: 0).eraseToAnyPublisher() }),
            ("share(replay:)", { $0.share(replay: 0).eraseToAnyPublisher() }),
            ("broadcast", { $0.broadcast().eraseToAnyPublisher() }),
            ("partition", { $0.partition { $0 > 0 }.matches.eraseToAnyPublisher() }),
        ]
        for (name, apply) in waiting {
            // It requests everything, and drops all that comes before the operator after it requests something. Made
            // anew each time, because what is shared ends once.
            func dropping() -> some Publisher<Int, Never> & Sendable {
                let values = [1, 2, 3, 4].publisher.eraseToAnyPublisher()
                return apply(values).buffer(size: 0, prefetch: .byRequest, whenFull: .dropNewest)
            }
            XCTAssertEqual(collected(dropping().combineLatest(Just(0)) { $0 + $1 }), [4], name)
            XCTAssertEqual(collected(Just(0).combineLatest(dropping()) { $0 + $1 }), [1, 2, 3, 4], name)
        }
    }

    func test_whatSharesSaysAtOnceThatItWaitsForDemand() {
        let shares: [(name: String, apply: (Chain) -> Chain)] = [
            ("shareReplay", { $0.shareReplay(capacity: 0).eraseToAnyPublisher() }),
            ("broadcast", { $0.broadcast().eraseToAnyPublisher() }),
            ("partition", { $0.partition { $0 > 0 }.matches.eraseToAnyPublisher() }),
        ]
        for (name, apply) in shares {
            // It drops what is not the latest when the operator after it requests something.
            let throttled = apply([1, 2].publisher.eraseToAnyPublisher())
                .throttle(for: 2, scheduler: ImmediateScheduler.shared, latest: true)
            XCTAssertEqual(collected(throttled.flatMap { [$0, $0 + 10].publisher }), [1, 11, 2, 12], name)
        }
    }

    func test_aResultReadsNothingBeforeTheOperatorsAfterItAreConnected() {
        let numbers = Numbers()
        let result = numbers.publisher.eraseToAnyPublisher().reduce(0) { max($0, $1) }
        XCTAssertEqual(collected(result.concatMap { Just($0) }.prefix(0)), [])
        XCTAssertEqual(numbers.read, 0)
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
        result.concatMap { Just($0) }.subscribe(subscriber)
        XCTAssertEqual(numbers.read, 0)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [5_000])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aResultOfASubjectRequestsAtOnce() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
        subject.reduce(0) { max($0, $1) }.subscribe(subscriber)
        subject.send(3)
        subject.send(completion: .finished)
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [3])
    }

    func test_publishersComeOutDepthFirstAlsoWhereDemandComesOneByOne() {
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
        (1...4).publisher.flatMap { [$0, $0 + 10].publisher }.subscribe(subscriber)
        for _ in 1...8 { subscriber.request(1) }
        XCTAssertEqual(subscriber.values, [1, 11, 2, 12, 3, 13, 4, 14])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aSubjectIsRequestedFromWithTheFirstDemandAndNotBefore() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none)
        subject.flatMap { [$0, $0 + 10].publisher }.subscribe(subscriber)
        subject.send(1)
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [], "what is sent without demand is dropped")
        subject.send(2)
        XCTAssertEqual(subscriber.values, [2, 12])
        // The outer publisher has been requested from without a limit, its publishers with the demand.
        subject.send(3)
        XCTAssertEqual(subscriber.values, [2, 12])
        subscriber.request(1)
        XCTAssertEqual(subscriber.values, [2, 12, 3])
    }
}
