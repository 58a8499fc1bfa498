import Foundation
import HeadgateCore
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// What differs from what was expected, in words.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a difference unless two values are equal.
///
/// In a script this takes the place of `XCTAssertEqual`, which does not stop at the first failure.
func expect<Value: Equatable>(_ name: @autoclosure () -> String, _ actual: Value, _ expected: Value) throws {
    if actual != expected { throw Difference("\(name()): \(actual), expected \(expected)") }
}

/// The shortest script that was found to fail.
struct ScriptFailure<Act>: CustomStringConvertible {
    let script: [Act]
    let reason: String

    /// How many scripts had been run when it was found.
    let scriptCount: Int

    var description: String {
        let acts = script.isEmpty ? "no act" : script.map { "\($0)" }.joined(separator: ", ")
        return "\(acts): \(reason) (found by script \(scriptCount))"
    }
}

/// Runs every script over an alphabet up to a length, shorter ones first, until one fails.
///
/// - Parameters:
///   - alphabet: The acts of which scripts are made.
///   - length: How many acts follow a beginning.
///   - beginnings: How scripts begin.
///   - lateActs: By how many acts a script goes on when everything has ended.
///   - threads: How many threads run scripts of the same length at the same time.
///   - run: Runs a script from the start, says what it has come to, and throws if it fails.
/// - Returns: How many scripts were run, and the failure with as few acts as possible.
func search<Act>(
    _ alphabet: [Act], upTo length: Int, after beginnings: [[Act]] = [[]], lateActs: Int = 0, threads: Int = 1,
    _ run: ([Act]) throws -> ScriptFrontier<Act>.Standing
) -> (count: Int, failure: ScriptFailure<Act>?) {
    var count = 0
    var failing: [Act] = []
    do {
        var frontier = ScriptFrontier<Act>()
        for beginning in beginnings {
            count += 1
            failing = beginning
            let standing = try run(beginning)
            // The last act of a beginning may well do nothing, above all where it has none.
            frontier.add(beginning, standing == .over ? .over : .open)
        }
        for _ in 0..<length {
            var scripts: [[Act]] = []
            var preview = frontier
            _ = preview.grow(by: alphabet, lateActs: lateActs) { script, _ in
                scripts.append(script)
                return .pruned
            }
            let results = runAll(scripts, threads: threads, run)
            var visited = 0
            _ = try frontier.grow(by: alphabet, lateActs: lateActs) { script, _ in
                defer { visited += 1 }
                count += 1
                failing = script
                return try results[visited]?.get()
            }
        }
        return (count, nil)
    } catch {
        var reason = "\(error)"
        let smallest = failing.shrunk { shorter in
            do {
                _ = try run(shorter)
                return false
            } catch {
                reason = "\(error)"
                return true
            }
        }
        return (count, ScriptFailure(script: smallest, reason: reason, scriptCount: count))
    }
}

/// Runs scripts until one fails.
///
/// - Returns: What each has come to, at least as far as the first that fails.
private func runAll<Act>(
    _ scripts: [[Act]], threads: Int, _ run: ([Act]) throws -> ScriptFrontier<Act>.Standing
) -> [Result<ScriptFrontier<Act>.Standing, any Error>?] {
    typealias Outcome = Result<ScriptFrontier<Act>.Standing, any Error>
    let state = Guarded((next: 0, outcomes: [Outcome?](repeating: nil, count: scripts.count)))
    withoutActuallyEscaping(run) { run in
        let work = { (_: Int) in
            while let index = state.withLock({ state -> Int? in
                if state.next >= scripts.count { return nil }
                defer { state.next += 1 }
                return state.next
            }) {
                let outcome = Outcome { try run(scripts[index]) }
                state.withLock {
                    $0.outcomes[index] = outcome
                    if case .failure = outcome { $0.next = scripts.count }
                }
            }
        }
        if threads > 1, scripts.count > 100 { onThreads(threads, work) } else { work(0) }
    }
    return state.withLock { $0.outcomes }
}

/// Runs every script over an alphabet up to a length, and fails with the shortest that fails, and with no other.
///
/// The parameters are those of ``search(_:upTo:after:lateActs:threads:_:)``. There is a thread per processor, so what
/// the scripts use is their own.
///
/// - Parameter minimum: How many scripts there are at least, so that an explorer that explores nothing is noticed.
func explore<Act>(
    _ alphabet: [Act], upTo length: Int, after beginnings: [[Act]] = [[]], lateActs: Int = 0,
    atLeast minimum: Int = 100,
    file: StaticString = #filePath, line: UInt = #line, _ run: ([Act]) throws -> ScriptFrontier<Act>.Standing
) {
    let (count, failure) = search(
        alphabet, upTo: length, after: beginnings, lateActs: lateActs,
        threads: ProcessInfo.processInfo.activeProcessorCount, run)
    if let failure {
        XCTFail("\(failure)", file: file, line: line)
    } else {
        XCTAssertGreaterThanOrEqual(count, minimum, "scripts", file: file, line: line)
    }
}
