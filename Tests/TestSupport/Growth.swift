import Foundation
import XCTest

/// Checks that eight times as much work takes about eight times as long, and not sixty-four times.
///
/// What is measured is the time that this thread has spent computing, the least of several runs, so that other work on
/// the machine does not count.
public func assertGrowsLinearly(
    from count: Int, file: StaticString = #filePath, line: UInt = #line, _ body: (Int) -> Void
) {
    let factor = growth(of: { body(count) }, to: { body(8 * count) })
    XCTAssertLessThan(factor, 24, "eight times as much costs \(factor) times as much", file: file, line: line)
}

/// How many times as long the second closure takes as the first.
private func growth(of small: () -> Void, to large: () -> Void) -> Double {
    _ = leastTime(of: small, runs: 1)
    return leastTime(of: large, runs: 3) / leastTime(of: small, runs: 5)
}

private func leastTime(of body: () -> Void, runs: Int) -> Double {
    (0..<runs).map { _ in
        let before = threadTime()
        body()
        return threadTime() - before
    }.min() ?? 0
}

/// Seconds that this thread has spent computing.
private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
