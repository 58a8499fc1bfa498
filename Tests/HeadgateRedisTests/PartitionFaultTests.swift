import Foundation
import HeadgateCore
import HeadgateRedis
import PartitionChecker
import TestSupport
import XCTest

/// What is promised of partitions, while workers are killed, stopped and cut off, decided from what they have written down.
///
/// HEADGATE_PARTITION_SECONDS is for how long, HEADGATE_PARTITION_SEED repeats the disturbances of a run, and
/// HEADGATE_PARTITION_HISTORIES names a folder to which the histories are copied.
final class PartitionFaultTests: XCTestCase {
    private static let environment = ProcessInfo.processInfo.environment

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    private let seconds = Double(environment["HEADGATE_PARTITION_SECONDS"] ?? "") ?? 6

    private let seed = UInt64(environment["HEADGATE_PARTITION_SEED"] ?? "") ?? .random(in: 0...(.max))

    /// Starts the first workers, and adds entries.
    ///
    /// - Returns: How many.
    private func begin(_ run: PartitionRun) throws -> Int {
        for _ in 0..<3 { try run.start() }
        // In an hour, as many as a busy machine works on.
        let rate = seconds > 60 ? 5 : 10
        let count = Int(seconds * 20) * rate
        run.produce(count, rate: rate)
        return count
    }

    func test_keepsItsPromisesWhateverHappensToWorkers() throws {
        var generator = Generator(state: seed)
        let run = try PartitionRun { connection in
            switch connection % 8 {
            case 3: (.throttle(100_000), .throttle(60_000))
            case 6: (.cut(after: connection &* 7_919 % 40_000), .none)
            case 7: (.none, .cut(after: connection &* 6_101 % 40_000))
            default: (.none, .none)
            }
        }
        let count = try begin(run)
        let end = Date(timeIntervalSinceNow: seconds)
        // A wave of more takes a minute.
        let most = seconds > 60 ? 20 : 8
        var hole: Date?
        while Date() < end {
            // The disturbances are what is tested: they come at times of their own.
            usleep(UInt32.random(in: 100_000...700_000, using: &generator))
            run.wake()
            if Int.random(in: 0..<100, using: &generator) == 0 { run.trim() }
            if let over = hole, over < Date() {
                run.setBlackHole(false)
                hole = nil
            }
            let names = run.names
            guard let name = names.randomElement(using: &generator) else { continue }
            switch Int.random(in: 0..<14, using: &generator) {
            case 0, 1:
                run.crash(name)
                try run.start()
            case 2: run.stop(name, for: 0.3)
            case 3 where run.stoppedCount < 2: run.stop(name, for: 2.2)
            case 4...5 where names.count < 6:
                try run.start()
            case 6...7 where names.count > 2:
                run.leave(name)
            case 8: run.cut()
            case 9: try run.crashServer()
            case 10 where hole == nil:
                run.setBlackHole(true)
                hole = Date(timeIntervalSinceNow: Double.random(in: 0.2...1.6, using: &generator))
            case 11: run.stopServer(for: Double.random(in: 0.1...1.8, using: &generator))
            case 12: try run.jumpClock(by: Int.random(in: -800...2_500, using: &generator))
            case 13 where Int.random(in: 0..<4, using: &generator) == 0:
                let wanted = Int.random(in: 1...most, using: &generator)
                while run.names.count < wanted { try run.start() }
                for name in run.names.dropFirst(wanted) { run.leave(name) }
            default: break
            }
        }
        run.wake(all: true)
        run.setBlackHole(false)
        try finish(run, added: count, ownersBeyond: PartitionRun.partitions)
    }

    /// The same on a cluster, whose slots move under load, and whose replicas take the places of masters.
    func test_keepsItsPromisesOnACluster() throws {
        var generator = Generator(state: seed)
        let run = PartitionRun(on: try TestCluster())
        let count = try begin(run)
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            // The disturbances are what is tested: they come at times of their own.
            usleep(UInt32.random(in: 50_000...400_000, using: &generator))
            run.wake()
            if Int.random(in: 0..<100, using: &generator) == 0 { run.trim() }
            let names = run.names
            guard let name = names.randomElement(using: &generator) else { continue }
            switch Int.random(in: 0..<13, using: &generator) {
            case 12: run.stopServer(for: Double.random(in: 0.1...3, using: &generator))
            case 0:
                run.crash(name)
                try run.start()
            case 1: run.stop(name, for: 0.3)
            case 2 where run.stoppedCount < 2: run.stop(name, for: 2.2)
            case 3 where names.count < 6: try run.start()
            case 4 where names.count > 2: run.leave(name)
            case 5: run.cut()
            case 6: run.failOver()
            case 7: run.move(nil)
            default: run.move(Int.random(in: 0..<PartitionRun.partitions, using: &generator))
            }
        }
        run.wake(all: true)
        try finish(run, added: count, ownersBeyond: 3)
    }

    /// Ends a run, and has the checker decide.
    private func finish(_ run: PartitionRun, added count: Int, ownersBeyond owners: Int) throws {
        // What a busy machine has not done in the time takes its own, as long as it goes on.
        var before = "", now = run.groups
        while !run.isDone(count), now != before {
            before = now
            eventually("something more is done") {
                now = run.groups
                return now != before || run.isDone(count)
            }
        }
        let history = try run.finish(quiet: 3)
        let summary = history.summary
        let breaches = PartitionRun.check(history)
        print("seed \(seed): \(summary)")
        XCTAssertEqual(breaches.map(\.description), [], "HEADGATE_PARTITION_SEED=\(seed)")
        XCTAssertEqual(summary.added, count)
        XCTAssertGreaterThan(summary.dead, 0)
        XCTAssertGreaterThan(summary.owners, owners)
    }

    // MARK: - Planted faults

    /// Stops a worker for longer than a lease, and wakes it while the other works.
    private func breachesAfterAStop(_ run: PartitionRun, _ count: Int = 1_000) throws -> [Checker.Breach] {
        for _ in 0..<2 { try run.start() }
        run.produce(count, rate: 12)
        for _ in 0..<2 {
            usleep(600_000)
            run.stop("w1", for: 0)
            usleep(1_900_000)
            run.wake(all: true)
        }
        eventually("everything is done") { run.isDone(count) }
        return PartitionRun.check(try run.finish())
    }

    func test_aStopBreaksNothing() throws { XCTAssertEqual(try breachesAfterAStop(PartitionRun()), []) }

    func test_findsAnAcknowledgementOutsideOfTheScript() throws {
        let breaches = try breachesAfterAUsurpation(PartitionRun(faults: "unfenced"))
        XCTAssertTrue(breaches.contains { $0.promise == 2 && $0.what.contains("acknowledged") }, "\(breaches)")
    }

    /// Has owners lose their partitions without knowing it.
    private func breachesAfterAUsurpation(_ run: PartitionRun, removesFences: Bool = true) throws -> [Checker.Breach] {
        for _ in 0..<2 { try run.start() }
        run.produce(800, rate: 12)
        for _ in 0..<3 {
            usleep(700_000)
            try run.usurp(removesFences: removesFences)
        }
        eventually("everything is done") { run.isDone(800) }
        return PartitionRun.check(try run.finish())
    }

    func test_aUsurpationBreaksNothing() throws {
        XCTAssertEqual(try breachesAfterAUsurpation(PartitionRun()).map(\.description), [])
    }

    /// What takes the place of the comparison in a script.
    private let unfencedAcknowledging = [
        "if redis.call('GET', KEYS[i]) ~= token .. ARGV[1] then":
            "if false and ('' .. KEYS[i]) == token .. ARGV[1]  then"
    ]

    /// The fences of former owners stay; nor does the server compare anything where it acknowledges, so that the worker learns
    /// of it late.
    func test_findsReadingThatIsNotFenced() throws {
        let texts = unfencedAcknowledging
        var all: [Checker.Breach] = []
        // An owner has to read between the loss and its next renewal, which is not in every run.
        for _ in 0..<6 where !all.contains(where: { $0.promise == 2 && $0.what.contains("read") }) {
            all += try breachesAfterAUsurpation(
                PartitionRun(plan: { _ in (.rewrite(texts), .none) }), removesFences: false)
        }
        XCTAssertTrue(all.contains { $0.promise == 2 && $0.what.contains("read") }, "\(all)")
    }

    /// The server compares nothing where it acknowledges.
    func test_findsAcknowledgingThatIsNotFenced() throws {
        let texts = unfencedAcknowledging
        let breaches = try breachesAfterAUsurpation(PartitionRun(plan: { _ in (.rewrite(texts), .none) }))
        XCTAssertTrue(breaches.contains { $0.promise == 2 && $0.what.contains("acknowledged") }, "\(breaches)")
    }

    func test_findsEntriesOfAKeyThatDoNotWait() throws {
        let breaches = try breachesAfterAStop(PartitionRun(faults: "hasty"))
        XCTAssertTrue(breaches.contains { $0.promise == 1 }, "\(breaches)")
    }

    func test_findsFailedWorkThatHoldsNothingBack() throws {
        let breaches = try breachesAfterLeaving(PartitionRun(faults: "carefree"))
        XCTAssertTrue(breaches.contains { $0.promise == 6 }, "\(breaches)")
    }

    private func breachesAfterLeaving(_ run: PartitionRun, misplacing: (@Sendable (Int) -> Int)? = nil) throws
        -> [Checker.Breach]
    {
        for _ in 0..<2 { try run.start() }
        run.produce(400, rate: 20, slow: 2, misplacing: misplacing)
        usleep(700_000)
        run.leave("w1")
        eventually("everything is done") { run.isDone(400) }
        return PartitionRun.check(try run.finish())
    }

    func test_leavingBreaksNothing() throws { XCTAssertEqual(try breachesAfterLeaving(PartitionRun()), []) }

    func test_findsAHandOverThatDoesNotWait() throws {
        let breaches = try breachesAfterLeaving(PartitionRun(faults: "impatient"))
        XCTAssertTrue(breaches.contains { $0.promise == 5 }, "\(breaches)")
    }

    func test_findsAHashThatChanges() throws {
        let breaches = try breachesAfterLeaving(PartitionRun()) { $0 < 200 ? $0 &* 7 % 29 % 8 : $0 &* 7 % 29 % 7 }
        XCTAssertTrue(breaches.contains { $0.promise == 1 && $0.what.contains("is in partitions") }, "\(breaches)")
    }
}
