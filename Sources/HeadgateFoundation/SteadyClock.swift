package import Foundation

/// The time of day when the clock was first read, plus the time elapsed since.
///
/// Setting the machine's clock has no effect: moments of this clock never go back, and the time between two of them is
/// the elapsed time, including the machine's sleep.
package struct SteadyClock: Sendable {
    package static let shared = SteadyClock(date: Date())

    private let origin: Date
    private let start = ContinuousClock.now

    /// Creates a clock that shows a date now.
    package init(date: Date) { origin = date }

    package var now: Date { origin.addingTimeInterval((ContinuousClock.now - start) / .seconds(1)) }

    /// The time until this clock shows a date; zero if it already has.
    package func time(until date: Date) -> TimeInterval { Swift.max(0, date.timeIntervalSince(now)) }
}
