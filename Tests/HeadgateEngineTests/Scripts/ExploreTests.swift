import HeadgateTesting
import HeadgateVerification
import XCTest

final class ExploreTests: XCTestCase {
    private enum Act: CaseIterable { case push, pop, look, close }

    private typealias Standing = ScriptFrontier<Act>.Standing

    /// Plays a script to a stack with a defect, its third pop does nothing, and to one without.
    private func play(_ script: [Act]) throws -> Standing {
        var (actual, expected) = ([Int](), [Int]())
        var pops = 0
        for act in script {
            switch act {
            case .push:
                actual.append(pops)
                expected.append(pops)
            case .pop:
                pops += 1
                if pops != 3 { _ = actual.popLast() }
                _ = expected.popLast()
            case .look: break
            case .close: return .over
            }
        }
        try expect("stack", actual, expected)
        return .open
    }

    func test_findsTheShortestScriptThatShowsADefect() throws {
        let failure = try XCTUnwrap(search(Act.allCases, upTo: 6, play).failure)
        XCTAssertEqual(failure.script, [.pop, .pop, .push, .pop])
        XCTAssertEqual(failure.reason, "stack: [2], expected []")
        XCTAssertEqual(
            "\(failure)", "pop, pop, push, pop: stack: [2], expected [] (found by script \(failure.scriptCount))")
    }

    func test_stopsAtTheFirstFailure() {
        var failures: [[Act]] = []
        let (count, failure) = search(Act.allCases, upTo: 6) { script in
            do { return try play(script) } catch {
                failures.append(script)
                throw error
            }
        }
        XCTAssertEqual(failures, [[.pop, .pop, .push, .pop]])
        XCTAssertEqual(failure?.scriptCount, count)
        XCTAssertLessThan(count, 1 + 4 + 16 + 64 + 256)
    }

    func test_dropsOfABeginningWhatTheFailureDoesNotNeed() {
        let beginning: [Act] = [.look, .push, .pop, .look, .push, .pop, .look]
        let failure = search(Act.allCases, upTo: 6, after: [[], beginning], play).failure
        // The search meets it after the beginning: push, pop are the acts that are missing there.
        XCTAssertEqual(failure?.script, [.pop, .pop, .push, .pop])
        XCTAssertGreaterThan(failure?.scriptCount ?? 0, 1 + 4)
    }

    func test_runsEveryScriptOnce() {
        var scripts: [[Act]] = []
        let (count, failure) = search(Act.allCases, upTo: 3) { script in
            scripts.append(script)
            return .open
        }
        XCTAssertNil(failure)
        XCTAssertEqual(count, 1 + 4 + 16 + 64)
        XCTAssertEqual(scripts.count, count)
        XCTAssertEqual(Set(scripts).count, count)
    }

    func test_runsNothingThatBeginsWithAPrunedScript() {
        var scripts: [[Act]] = []
        _ = search(Act.allCases, upTo: 4) { script in
            scripts.append(script)
            return script.contains(.look) ? .pruned : .open
        }
        XCTAssertEqual(scripts.count, 1 + 4 + 3 * 4 + 9 * 4 + 27 * 4)
        XCTAssertFalse(scripts.contains { $0.dropLast().contains(.look) })
    }

    func test_goesOnByAsManyLateActsAsConfigured() {
        for lateActs in 0...3 {
            var longest = 0
            _ = search([Act.close], upTo: 10, lateActs: lateActs) { script in
                longest = script.count
                return script.contains(.close) ? .over : .open
            }
            XCTAssertEqual(longest, 1 + lateActs)
        }
    }

    func test_findsThatTheEmptyScriptFails() {
        let failure = search(Act.allCases, upTo: 2) { _ -> Standing in throw Difference("always") }.failure
        XCTAssertEqual(failure.map { "\($0)" }, "no act: always (found by script 1)")
    }
}
