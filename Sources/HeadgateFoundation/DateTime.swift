public import Foundation

/// A moment on a clock that shows the time of day, of one kind of schedulers.
///
/// It is written as `RunLoop.SchedulerTimeType` or `OperationQueue.SchedulerTimeType`.
public struct DateTime<Context>: Strideable, Codable, Hashable, Sendable {
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

extension OperationQueue {
    /// A moment on a clock that shows the time of day.
    public typealias SchedulerTimeType = DateTime<OperationQueue>
}

extension RunLoop {
    /// A moment on a clock that shows the time of day.
    public typealias SchedulerTimeType = DateTime<RunLoop>
}

extension DateTime {
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
            require(
                magnitude >= 0, rule: "The interval of repeated work can't be negative.",
                found: "\(magnitude) seconds", remedy: "Pass the time from one run to the next.")
        }
    }
}
