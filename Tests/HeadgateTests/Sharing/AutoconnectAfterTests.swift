import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AutoconnectAfterTests: XCTestCase {
    func test_aGracePeriodBeginsAnewWhenASubscriberHasComeAndGoneMeanwhile() {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.makeConnectable().autoconnect(grace: .seconds(3), scheduler: scheduler)
        let first = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(first)
        first.cancel()
        scheduler.advance(by: .seconds(2))
        let second = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(second)
        second.cancel()
        // The first grace period is over, the second is not.
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(upstream.cancelCount, 0)
        let third = TestSubscriber<Int, Never>.checked(.unlimited)
        shared.subscribe(third)
        upstream.send(1)
        XCTAssertEqual(third.values, [1])
        XCTAssertEqual(upstream.subscriptionCount, 1)
        third.cancel()
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(scheduler.unfinished, [])
    }

    func test_doesWhatTheModelDoesInEveryOrderOfArrivalsAndDepartures() {
        for needed in 1...2 {
            for grace in [0, 2] {
                explore(Act.allCases, upTo: 7) { try compare($0, needed: needed, grace: grace) }
            }
        }
    }

    private enum Act: CaseIterable { case arrive, leave, tick }

    /// - Returns: Whether the last act of the script did something.
    private func compare(_ script: [Act], needed: Int, grace: Int) throws -> Bool {
        let scheduler = TestScheduler()
        let upstream = TestPublisher<Int, Never>()
        let shared = upstream.makeConnectable()
            .autoconnect(after: needed, grace: .seconds(grace), scheduler: scheduler)
        var subscribers: [TestSubscriber<Int, Never>] = []
        var connections = 0
        var isConnected = false
        var now = 0
        /// When the last subscriber left.
        var departure = 0
        var hasDoneSomething = true
        for act in script {
            hasDoneSomething = act != .leave || !subscribers.isEmpty
            switch act {
            case .arrive:
                subscribers.append(.checked(.unlimited))
                shared.subscribe(subscribers.last!)
                if !isConnected, subscribers.count >= needed {
                    isConnected = true
                    connections += 1
                }
            case .leave:
                if subscribers.isEmpty { break }
                subscribers.removeFirst().cancel()
                departure = now
            case .tick:
                scheduler.advance(by: .seconds(1))
                now += 1
            }
            if isConnected, subscribers.isEmpty, departure + grace <= now { isConnected = false }
            guard upstream.subscriptionCount == connections, upstream.isConnected == isConnected else {
                throw Mismatch(script: script)
            }
        }
        return hasDoneSomething
    }

    private struct Mismatch: Error { let script: [Act] }

    /// Runs every script up to a length, except those that begin with one whose last act did nothing.
    private func explore(_ acts: [Act], upTo length: Int, _ run: ([Act]) throws -> Bool) {
        var scripts: [[Act]] = [[]]
        for _ in 0..<length {
            scripts = scripts.flatMap { script in acts.map { script + [$0] } }
                .filter { script in
                    do { return try run(script) } catch {
                        XCTFail("\(error)")
                        return false
                    }
                }
        }
        XCTAssertGreaterThan(scripts.count, 100)
    }

    private let scheduler = TestScheduler()
    private let upstream = TestPublisher<Int, Never>()

    private func join(_ publisher: some Publisher<Int, Never>) -> TestSubscriber<Int, Never> {
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        publisher.subscribe(subscriber)
        return subscriber
    }

    func test_connectsWithTheLastOfSoManySubscribers() {
        let shared = upstream.makeConnectable().autoconnect(after: 3, scheduler: scheduler)
        let early = [join(shared), join(shared)]
        XCTAssertEqual(upstream.subscriptionCount, 0)
        let last = join(shared)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        upstream.send(1)
        XCTAssertEqual((early + [last]).map(\.values), [[1], [1], [1]])
    }

    func test_staysConnectedForTheGraceAndTakesWhoComesInIt() {
        let shared = upstream.makeConnectable().autoconnect(grace: .seconds(10), scheduler: scheduler)
        join(shared).cancel()
        scheduler.advance(by: .seconds(9))
        XCTAssertEqual(upstream.cancelCount, 0)
        let second = join(shared)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(upstream.subscriptionCount, 1)
        upstream.send(1)
        XCTAssertEqual(second.values, [1])
        second.cancel()
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(upstream.cancelCount, 1)
        _ = join(shared)
        XCTAssertEqual(upstream.subscriptionCount, 2)
    }

    func test_endsAtOnceWithoutGrace() {
        let shared = upstream.makeConnectable().autoconnect(scheduler: scheduler)
        join(shared).cancel()
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(scheduler.scheduledCount, 0)
    }

    func test_whoLeavesBeforeThereAreEnoughIsNotCounted() {
        let shared = upstream.makeConnectable().autoconnect(after: 2, grace: .seconds(1), scheduler: scheduler)
        join(shared).cancel()
        _ = join(shared)
        XCTAssertEqual(upstream.subscriptionCount, 0)
        _ = join(shared)
        XCTAssertEqual(upstream.subscriptionCount, 1)
    }
}
