package import Foundation
import HeadgateCore

/// The time of day as it was shown when the clock was first read, and as much later as has passed since.
///
/// Setting the machine's clock changes nothing: moments taken from this one never go back, and the time between two is the
/// time that has passed, the machine's sleep included.
package struct SteadyClock: Sendable {
    package static let shared = SteadyClock(date: Date())

    private let origin: Date
    private let start = ContinuousClock.now

    /// Makes a clock that shows a date now.
    package init(date: Date) { origin = date }

    package var now: Date { origin.addingTimeInterval((ContinuousClock.now - start) / .seconds(1)) }

    /// How long it is until this clock shows a date; zero if it has.
    package func time(until date: Date) -> TimeInterval { Swift.max(0, date.timeIntervalSince(now)) }
}
