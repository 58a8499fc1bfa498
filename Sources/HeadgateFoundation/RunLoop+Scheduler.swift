public import Foundation
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// A run loop runs closures on its thread, in its default mode, while it runs.
///
/// ```swift
/// import Foundation
/// import HeadgateFoundation
///
/// RunLoop.main.schedule { print("soon") }
/// RunLoop.main.run(until: Date() + 0.1)
/// // soon
/// ```
extension RunLoop: Scheduler {
    /// The options of the scheduler; there are none.
    public struct SchedulerOptions: Sendable {}

    /// The current moment, on a clock that ignores changes of the machine's clock.
    ///
    /// It shows the time of day when it was first read, plus the time elapsed since. So it never goes back, and a job
    /// waits for exactly its delay, whatever happens to the time of day. A moment made from `Date()` is off by as much
    /// as the machine's clock has been changed in the meantime: start from `now`.
    public var now: SchedulerTimeType { SchedulerTimeType(SteadyClock.shared.now) }

    /// Zero: the run loop is as exact as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure in the next iteration of the run loop; closures run in the order in which they were scheduled.
    @preconcurrency public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        perform(inModes: [.default]) { action() }
        RunLoopAlarm.of(self).wake(self)
    }

    /// Runs a closure at a moment; closures for the same moment run in the order in which they were scheduled.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        RunLoopAlarm.of(self).insert(date.date, on: self, action)
    }

    /// Runs a closure at a moment and after every interval, until the result is cancelled or released.
    ///
    /// The closure is released then. Runs for which the run loop is too late are skipped.
    ///
    /// - Parameter interval: Zero or more; a negative interval traps.
    @preconcurrency public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        interval.checkAsInterval()
        let work = ClearableAction(action)
        let first = Date(timeIntervalSinceNow: SteadyClock.shared.time(until: date.date))
        let timer = Timer(fire: first, interval: interval.timeInterval, repeats: true) { _ in work.run() }
        timer.tolerance = max(0, tolerance.timeInterval)
        add(timer, forMode: .default)
        return AnyCancellable(
            serially {
                timer.invalidate()
                work.clear()
            })
    }
}

extension RunLoop {
    /// A moment on a clock that shows the time of day.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The moment.
        public var date: Date

        /// Creates a moment.
        public init(_ date: Date) { self.date = date }

        /// The time from this moment to another, negative if that is earlier.
        public func distance(to other: Self) -> Stride { Stride(other.date.timeIntervalSince(date)) }

        /// The moment later by a stride.
        public func advanced(by n: Stride) -> Self { Self(date.addingTimeInterval(n.timeInterval)) }

        /// Whether the left moment is earlier.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }

        /// Whether both moments are equal.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.date == rhs.date }
    }
}

extension RunLoop.SchedulerTimeType {
    /// A duration in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// The type of floating-point literals.
        public typealias FloatLiteralType = TimeInterval

        /// The type of integer literals.
        public typealias IntegerLiteralType = TimeInterval

        /// The type of the number of seconds.
        public typealias Magnitude = TimeInterval

        /// The signed number of seconds.
        public var magnitude: TimeInterval

        /// The signed number of seconds.
        public var timeInterval: TimeInterval { magnitude }

        /// Creates a duration from a number of seconds.
        public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }

        /// Creates a duration from a number of seconds.
        public init(integerLiteral value: TimeInterval) { self.init(value) }

        /// Creates a duration from a number of seconds.
        public init(floatLiteral value: TimeInterval) { self.init(value) }

        /// Creates a duration from a number of seconds, if a floating-point number can represent it exactly.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = TimeInterval(exactly: source) else { return nil }
            self.init(seconds)
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

        /// A number of seconds.
        public static func seconds(_ s: Double) -> Self { Self(s) }

        /// A number of milliseconds.
        public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1000) }

        /// A number of microseconds.
        public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }

        /// A number of nanoseconds.
        public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

        /// Whether the left duration is shorter.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

        /// The sum of two durations.
        public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

        /// The difference of two durations.
        public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

        /// The product of two numbers of seconds.
        public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

        /// Adds a duration.
        public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

        /// Subtracts a duration.
        public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

        /// Multiplies by a number of seconds.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

        func checkAsInterval() {
            if !(magnitude >= 0) {
                programmerError(
                    rule: "The interval of repeated work can't be negative.", found: "\(magnitude) seconds",
                    remedy: "Pass the time from one run to the next.")
            }
        }
    }
}
