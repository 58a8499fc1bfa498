import HeadgateCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A moment on the wall clock, which people and daylight saving time may set.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Seconds since the beginning of 1970 in UTC, without leap seconds.
    public var seconds: Double

    /// Makes a moment of the seconds since the beginning of 1970.
    public init(seconds: Double) { self.seconds = seconds }

    /// The present moment.
    public static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// Whether the left moment is the earlier one.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool { lhs.seconds < rhs.seconds }
}

/// When a timer on the wall clock ticks.
public struct WallSchedule: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case aligned(seconds: Int)
        case daily(hour: Int, minute: Int, second: Int)
    }

    let rule: Rule

    /// At every multiple of a number of seconds since the beginning of 1970: with 900, at every quarter of an hour.
    public static func every(seconds: Int) -> WallSchedule {
        if seconds < 1 {
            programmerError(
                rule: "A timer on the wall clock ticks once a second at most.", found: "every \(seconds) seconds",
                remedy: "Use Publishers.timer for what is faster.")
        }
        return WallSchedule(rule: .aligned(seconds: seconds))
    }

    /// Once a day by local time.
    ///
    /// A time that the beginning of daylight saving time leaves out is moved by the hour that is left out; one that comes twice
    /// when it ends is used once.
    public static func daily(hour: Int, minute: Int = 0, second: Int = 0) -> WallSchedule {
        if !(0..<24).contains(hour) || !(0..<60).contains(minute) || !(0..<60).contains(second) {
            programmerError(
                rule: "A time of day is from 0:00:00 to 23:59:59.", found: "\(hour):\(minute):\(second)",
                remedy: "Use hours of the day in local time.")
        }
        return WallSchedule(rule: .daily(hour: hour, minute: minute, second: second))
    }

    /// The first tick after a moment, by the time zone of the process.
    func next(after moment: WallTime) -> WallTime {
        let second = moment.seconds.rounded(.down)
        switch rule {
        case .aligned(let length):
            let length = Double(length)
            return WallTime(seconds: ((second / length).rounded(.down) + 1) * length)
        case .daily(let hour, let minute, let ofMinute):
            var start = time_t(second)
            var today = tm()
            localtime_r(&start, &today)
            for offset in 0...2 {
                var day = today
                day.tm_mday += Int32(offset)
                (day.tm_hour, day.tm_min, day.tm_sec) = (Int32(hour), Int32(minute), Int32(ofMinute))
                let candidate = WallTime(seconds: Double(Self.first(day)))
                if candidate > moment { return candidate }
            }
            return WallTime(seconds: second + 86400)
        }
    }

    /// The first moment at which local clocks show a time of a day.
    private static func first(_ time: tm) -> time_t {
        // Of a time that comes twice, the first is that of daylight saving time.
        for isSavingTime in [1, 0] as [Int32] {
            var guess = time
            guess.tm_isdst = isSavingTime
            // Moved to the other kind where there is no such time of this one.
            let moment = mktime(&guess)
            if guess.tm_isdst == isSavingTime { return moment }
        }
        var guess = time
        guess.tm_isdst = -1
        return mktime(&guess)
    }
}
