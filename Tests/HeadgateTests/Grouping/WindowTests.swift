import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class WindowTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>
    private typealias Window = Publishers.Window<Int, TestFailure>

    func test_windowsHoldSoManyValues() {
        for count in [1, 2, .max] {
            let subscriber = TestSubscriber<[Int], Never>.checked(.oneByOne)
            (1...5).publisher.window(count: count, unread: .hold).concatMap { $0.collect() }.subscribe(subscriber)
            let expected =
                count == 1 ? [[1], [2], [3], [4], [5]] : count == 2 ? [[1, 2], [3, 4], [5]] : [[1, 2, 3, 4, 5]]
            XCTAssertEqual(subscriber.values, expected)
            XCTAssertTrue(subscriber.hasFinished)
        }
    }

    func test_aWindowNobodyReadsHoldsUpstreamOrIsSkipped() {
        for unread in [Publishers.UnreadWindow.hold, .skip] {
            let upstream = TestPublisher<Int, TestFailure>(serving: Array(0..<20))
            var dropped: [Int] = []
            let windows = TestSubscriber<Window, TestFailure>.checked(.unlimited)
            upstream.window(count: 10, buffer: 4, unread: unread, onDrop: { dropped.append($0) }).subscribe(windows)
            let late = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            if unread == .hold {
                XCTAssertEqual(windows.values.count, 1)
                XCTAssertEqual(upstream.requested, .max(4))
                windows.values[0].subscribe(late)
                XCTAssertEqual(late.values, Array(0..<10))
                XCTAssertEqual(windows.values.count, 2)
                XCTAssertEqual(dropped, [])
            } else {
                XCTAssertEqual(windows.values.count, 2)
                XCTAssertTrue(windows.hasFinished)
                windows.values[1].subscribe(late)
                XCTAssertEqual(late.values, Array(10..<14))
                XCTAssertEqual(dropped, Array(4..<10) + Array(14..<20))
            }
            XCTAssertTrue(late.hasFinished)
        }
    }

    func test_windowsEndAtTheirTime() {
        let scheduler = TestScheduler()
        let upstream = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        upstream.window(within: .seconds(2), scheduler: scheduler, unread: .skip).flatMap { $0.collect() }
            .subscribe(subscriber)
        scheduler.advance(by: .seconds(5))
        upstream.send(1)
        scheduler.advance(by: .seconds(1))
        upstream.send(2)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(subscriber.values, [[1, 2]])
        upstream.send(3)
        upstream.send(completion: .finished)
        XCTAssertEqual(subscriber.values, [[1, 2], [3]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_lengthsOfNothingAndForEver() {
        for (interval, expected) in [(TestTime.Stride.zero, [[1], [2]]), (.nanoseconds(.max), [[1, 2]])] {
            let scheduler = TestScheduler()
            scheduler.advance(by: .seconds(1))
            let upstream = PassthroughSubject<Int, Never>()
            let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
            upstream.window(within: interval, scheduler: scheduler, unread: .skip).flatMap { $0.collect() }
                .subscribe(subscriber)
            upstream.send(1)
            scheduler.runDue()
            upstream.send(2)
            upstream.send(completion: .finished)
            XCTAssertEqual(subscriber.values, expected)
        }
    }

    func test_boundariesEndWindows() {
        let (upstream, boundary) = (Hand(), Hand())
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.unlimited)
        upstream.window(on: boundary, unread: .skip).flatMap { $0.collect() }.subscribe(subscriber)
        boundary.send(0)
        (1...2).forEach { upstream.send($0) }
        boundary.send(0)
        boundary.send(0)
        upstream.send(3)
        boundary.finish()
        upstream.send(4)
        upstream.finish()
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aBoundaryThatFailsOrEndsFirst() {
        for fails in [true, false] {
            let (upstream, boundary) = (Hand(), Hand())
            let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
            upstream.window(on: boundary, unread: .skip).flatMap { $0 }.subscribe(subscriber)
            if fails { boundary.fail(.first) } else { boundary.finish() }
            upstream.send(1)
            upstream.finish()
            XCTAssertEqual(subscriber.values, fails ? [] : [1])
            XCTAssertEqual(subscriber.failure, fails ? .first : nil)
            XCTAssertEqual(upstream.cancelCount, fails ? 1 : 0)
        }
    }

    func test_theEndOfUpstreamCancelsTheBoundary() {
        let (upstream, boundary) = (Hand(), Hand())
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.window(on: boundary, unread: .skip).flatMap { $0 }.subscribe(subscriber)
        upstream.send(1)
        upstream.finish()
        XCTAssertEqual(boundary.cancelCount, 1)
    }

    func test_carryAMillionValues() {
        let count = Scale.reduced(1_000_000)
        let subscriber = CountingSubscriber<Int, Never>()
        (0..<count).publisher.window(count: 10, unread: .hold).concatMap { $0 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.count, count)
        XCTAssertEqual(subscriber.last, count - 1)
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_aSubscriberMayCancelInsideTheDeliveryOfItsWindow() {
        let upstream = TestPublisher<Int, TestFailure>()
        var dropped: [Int] = []
        let sink = upstream.window(count: 2, unread: .skip, onDrop: { dropped.append($0) })
            .sink(receiveCompletion: { _ in }) { window in
                let reader = TestSubscriber<Int, TestFailure>.checked(.unlimited)
                window.subscribe(reader)
                reader.cancel()
            }
        (1...3).forEach { upstream.send($0) }
        XCTAssertEqual(dropped, [1, 2, 3])
        sink.cancel()
        XCTAssertEqual(upstream.cancelCount, 1, "no window has a subscriber")
    }

    func test_aWindowThatHasWaitedIsServedToWhoAttachesItselfAndEnds() {
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<[Int], TestFailure>.checked(.none)
        upstream.window(count: 2, unread: .hold).flatMap(maxPublishers: .max(1)) { $0.collect() }.subscribe(subscriber)
        subscriber.request(.max(1))
        (1...5).forEach { upstream.send($0) }
        XCTAssertEqual(subscriber.values, [[1, 2]])
        subscriber.request(.unlimited)
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4]])
        upstream.finish()
        XCTAssertEqual(subscriber.values, [[1, 2], [3, 4], [5]])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_readsNothingAfterTheLastWindowThatIsWanted() {
        let upstream = TestPublisher<Int, TestFailure>(serving: Array(0..<100))
        var dropped: [Int] = []
        let windows = TestSubscriber<Window, TestFailure>.checked(.first(1))
        upstream.window(count: 3, buffer: 8, unread: .hold, onDrop: { dropped.append($0) }).subscribe(windows)
        let reader = TestSubscriber<Int, TestFailure>.checked()
        windows.values[0].subscribe(reader)
        windows.cancel()
        reader.request(.unlimited)
        XCTAssertEqual(reader.values, [0, 1, 2])
        XCTAssertTrue(reader.hasFinished)
        XCTAssertEqual(dropped, [3, 4, 5, 6, 7], "what has been read ahead, and nothing else")
    }

    func test_whatWaitsInAWindowWhoseSubscriberCancelsIsReported() {
        let upstream = Hand()
        var dropped: [Int] = []
        let windows = TestSubscriber<Window, TestFailure>.checked(.unlimited)
        upstream.window(count: 10, unread: .hold, onDrop: { dropped.append($0) }).subscribe(windows)
        let reader = TestSubscriber<Int, TestFailure>.checked(.first(1))
        upstream.send(1)
        windows.values[0].subscribe(reader)
        (2...3).forEach { upstream.send($0) }
        reader.cancel()
        upstream.send(4)
        XCTAssertEqual(reader.values, [1])
        XCTAssertEqual(dropped, [2, 3, 4])
    }
}
