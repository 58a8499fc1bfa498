import Dispatch
import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AsyncPublisherTests: XCTestCase {
    private let upstream = TestPublisher<Int, Never>()

    func test_handsOverTheValuesAndEnds() async {
        var values: [Int] = []
        for await value in (1...3).publisher.values { values.append(value) }
        XCTAssertEqual(values, [1, 2, 3])
    }

    func test_subscribesWhenTheLoopBegins() async {
        let values = upstream.values
        XCTAssertEqual(upstream.subscriptionCount, 0)
        var iterator = values.makeAsyncIterator()
        XCTAssertEqual(upstream.subscriptionCount, 1)
        upstream.finish()
        let end = await iterator.next()
        XCTAssertNil(end)
    }

    func test_losesNothingThatASubjectSendsWhileTheBodyRuns() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = subject.values.makeAsyncIterator()
        for value in 0..<1000 { subject.send(value) }
        subject.send(completion: .finished)
        var values: [Int] = []
        while let value = await iterator.next() { values.append(value) }
        XCTAssertEqual(values, Array(0..<1000))
    }

    func test_losesNothingThatAnotherThreadSends() async {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.values
        var iterator = values.makeAsyncIterator()
        DispatchQueue.global().async {
            for value in 0..<10_000 { subject.send(value) }
            subject.send(completion: .finished)
        }
        var count = 0
        while let value = await iterator.next() {
            XCTAssertEqual(value, count)
            count += 1
            if count.isMultiple(of: 100) { await Task.yield() }
        }
        XCTAssertEqual(count, 10_000)
    }

    func test_requestsOneByOneFromASourceThatWaitsAndBuffersNothing() async {
        var made = 0
        let numbers = sequence(state: ()) { _ -> Int? in
            made += 1
            return made - 1
        }
        var iterator = numbers.publisher.map { $0 }.values.makeAsyncIterator()
        for value in 0..<10 {
            let next = await iterator.next()
            XCTAssertEqual(next, value)
            XCTAssertLessThanOrEqual(made, value + 2)
        }
    }

    func test_requestsAWindowOfASourceThatWaitsButDoesNotAnswerAtOnce() async {
        var made = 0
        let numbers = sequence(state: ()) { _ -> Int? in
            made += 1
            return made - 1
        }
        let scheduler = ImmediateScheduler.shared
        let publisher = numbers.publisher.subscribe(on: scheduler).receive(on: scheduler).delay(
            for: 1, scheduler: scheduler)
        var iterator = publisher.prefix(1000).values.makeAsyncIterator()
        for value in 0..<10 {
            let next = await iterator.next()
            XCTAssertEqual(next, value)
        }
        XCTAssertLessThanOrEqual(made, 65)
        for value in 10..<100 {
            let next = await iterator.next()
            XCTAssertEqual(next, value)
            XCTAssertLessThanOrEqual(made, value + 66, "the window is read, and one more for the end")
        }
    }

    func test_requestsALargeWindowOfAnUnknownSource() {
        let iterator = upstream.values.makeAsyncIterator()
        XCTAssertEqual(upstream.calls, [.request(.max(65_536))])
        withExtendedLifetime(iterator) {}
    }

    func test_onDemand_requestsOneValueWheneverTheLoopComes() async {
        let upstream = TestPublisher<Int, Never> { upstream, _ in upstream.send(upstream.calls.count) }
        var iterator = upstream.values(buffering: .onDemand).makeAsyncIterator()
        XCTAssertEqual(upstream.calls, [])
        let first = await iterator.next()
        XCTAssertEqual(first, 1)
        XCTAssertEqual(upstream.calls, [.request(.max(1))])
        let second = await iterator.next()
        XCTAssertEqual(second, 2)
        XCTAssertEqual(upstream.calls, [.request(.max(1)), .request(.max(1))])
    }

    func test_onDemand_requestsAfterALateSubscription() async {
        var iterator = (1...3).publisher.subscribe(on: DispatchQueue.global()).values(buffering: .onDemand)
            .makeAsyncIterator()
        var values: [Int] = []
        while let value = await iterator.next() { values.append(value) }
        XCTAssertEqual(values, [1, 2, 3])
    }

    func test_bounded_requestsAheadAndOneMoreForEachValueTaken() async {
        var iterator = upstream.values(buffering: .bounded(3)).makeAsyncIterator()
        XCTAssertEqual(upstream.calls, [.request(.max(3))])
        for value in 1...3 { upstream.send(value) }
        let value = await iterator.next()
        XCTAssertEqual(value, 1)
        XCTAssertEqual(upstream.calls, [.request(.max(3)), .request(.max(1))])
    }

    func test_newest_keepsTheNewestValues() async {
        var iterator = upstream.values(buffering: .newest(2)).makeAsyncIterator()
        XCTAssertEqual(upstream.calls, [.request(.unlimited)])
        for value in 1...5 { upstream.send(value) }
        upstream.finish()
        let values = [await iterator.next(), await iterator.next(), await iterator.next()]
        XCTAssertEqual(values, [4, 5, nil])
    }

    func test_cancelsWhenTheLoopIsLeft() async {
        let upstream = TestPublisher<Int, Never> { upstream, _ in upstream.send(1) }
        for await _ in upstream.values { break }
        XCTAssertEqual(upstream.calls, [.request(.max(65_536)), .cancel])
    }

    func test_cancelsWhenTheIteratorIsReleased() {
        let living = Tracked.count
        let upstream = TestPublisher<Tracked, Never>()
        var iterator: AsyncPublisher<TestPublisher<Tracked, Never>>.Iterator? = upstream.values.makeAsyncIterator()
        upstream.send(Tracked())
        XCTAssertEqual(Tracked.count, living + 1)
        XCTAssertNotNil(iterator)
        iterator = nil
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(Tracked.count, living)
    }

    func test_cancelsOnlyOnceAfterTheEnd() async {
        let upstream = TestPublisher<Int, Never> { upstream, _ in upstream.finish() }
        for await _ in upstream.values {}
        XCTAssertEqual(upstream.calls, [.request(.max(65_536))])
    }

    func test_endsAndCancelsUpstreamWhenTheTaskIsCancelledWhileItWaits() async {
        for _ in 0..<100 {
            let (started, start) = AsyncStream<Void>.makeStream()
            let upstream = TestPublisher<Int, Never> { _, _ in start.yield() }
            let values = upstream.values(buffering: .onDemand)
            let task = Task {
                var count = 0
                for await _ in values { count += 1 }
                return count
            }
            for await _ in started { break }
            task.cancel()
            let count = await task.value
            XCTAssertEqual(count, 0)
            XCTAssertEqual(upstream.calls, [.request(.max(1)), .cancel])
        }
    }

    func test_endsAnEndlessLoopWhenTheTaskIsCancelledWhileItRuns() async {
        let task = Task {
            var count = 0
            for await value in (0...).publisher.values {
                count += 1
                if value == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        let count = await task.value
        XCTAssertEqual(count, 11)
    }

    func test_servesSeveralTasksThatShareAnIterator() async {
        let subject = PassthroughSubject<Int, Never>()
        nonisolated(unsafe) let iterator = subject.values.makeAsyncIterator()
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var copy = iterator
                    var sum = 0
                    while let value = await copy.next() { sum += value }
                    return sum
                }
            }
            group.addTask {
                for value in 1...1000 {
                    subject.send(value)
                    if value.isMultiple(of: 50) { await Task.yield() }
                }
                subject.send(completion: .finished)
                return 0
            }
            return await group.reduce(0, +)
        }
        XCTAssertEqual(sum, 500_500)
    }

    @MainActor
    func test_staysOnTheActorOfTheLoop() async {
        var values: [Int] = []
        for await value in (1...100).publisher.subscribe(on: DispatchQueue.global()).values {
            MainActor.assertIsolated()
            values.append(value)
        }
        XCTAssertEqual(values, Array(1...100))
    }

    func test_isASequenceThatCanBeSent() {
        func check<T: Sendable>(_: T.Type) {}
        check(AsyncPublisher<PassthroughSubject<Int, Never>>.self)
        check(AsyncThrowingPublisher<PassthroughSubject<Int, TestFailure>>.self)
    }

    func test_ignoresASecondSubscription() async {
        var subscriber: AnySubscriber<Int, Never>?
        let second = TestPublisher<Int, Never>()
        let iterator = Handing { subscriber = $0 }.values.makeAsyncIterator()
        upstream.subscribe(AnySubscriber(receiveSubscription: { subscriber?.receive(subscription: $0) }))
        second.subscribe(AnySubscriber(receiveSubscription: { subscriber?.receive(subscription: $0) }))
        XCTAssertEqual(upstream.calls, [.request(.max(65_536))])
        XCTAssertEqual(second.calls, [.cancel])
        withExtendedLifetime(iterator) {}
    }
}

/// Hands its subscriber to a closure.
private struct Handing: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let receive: (AnySubscriber<Int, Never>) -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        receive(AnySubscriber(subscriber))
    }
}
