import HeadgateLibC

/// A time on the wall clock, which people and daylight saving time may set.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Seconds since the beginning of 1970 in UTC, without leap seconds.
    public var seconds: Double

    /// Creates a time from the seconds since the beginning of 1970.
    public init(seconds: Double) { self.seconds = seconds }

    /// The current time.
    public static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    /// Whether the first is less than the second.
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
        require(
            seconds >= 1, rule: "A timer on the wall clock ticks at most once per second.",
            found: "every \(seconds) seconds", remedy: "Use Publishers.timer for shorter intervals.")
        return WallSchedule(rule: .aligned(seconds: seconds))
    }

    /// Once a day by local time.
    ///
    /// A time that is skipped when daylight saving time begins is moved by the skipped hour; one that occurs twice when
    /// it ends is used once.
    public static func daily(hour: Int, minute: Int = 0, second: Int = 0) -> WallSchedule {
        if !(0..<24).contains(hour) || !(0..<60).contains(minute) || !(0..<60).contains(second) {
            programmerError(
                rule: "A time of day is in 0:00:00...23:59:59.", found: "\(hour):\(minute):\(second)",
                remedy: "Pass a time of the day in local time.")
        }
        return WallSchedule(rule: .daily(hour: hour, minute: minute, second: second))
    }

    /// The first tick after a time, in the time zone of the process.
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

    /// The first time at which local clocks show a time of day.
    private static func first(_ time: tm) -> time_t {
        // If a time occurs twice, the first is in daylight saving time.
        for isSavingTime in [1, 0] as [Int32] {
            var guess = time
            guess.tm_isdst = isSavingTime
            // `mktime` switches to the other kind if there is no such time of this one.
            let moment = mktime(&guess)
            if guess.tm_isdst == isSavingTime { return moment }
        }
        var guess = time
        guess.tm_isdst = -1
        return mktime(&guess)
    }
}
