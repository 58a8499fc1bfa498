import Dispatch
import HeadgateCombine
import HeadgateCore

/// A time on a clock that a test advances.
public struct TestTime: Strideable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the clock started.
    public var nanoseconds: Int

    /// Creates the time this many nanoseconds after the clock started.
    public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// The time at which every clock starts.
    public static let zero = TestTime(nanoseconds: 0)

    /// The interval from this time to another.
    public func distance(to other: TestTime) -> Stride { .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds) }

    /// The time advanced by an interval; the last time there is if it would come after that.
    public func advanced(by n: Stride) -> TestTime {
        TestTime(nanoseconds: (.nanoseconds(nanoseconds) + n).magnitude)
    }

    /// The seconds since the clock started, such as `1.5s`.
    public var description: String { Stride.nanoseconds(nanoseconds).description }
}

extension TestTime: InstantProtocol {
    /// A span of this clock's time.
    public typealias Duration = Swift.Duration

    /// The time advanced by a duration.
    public func advanced(by duration: Swift.Duration) -> TestTime { advanced(by: Stride(duration)) }

    /// The duration from this time to another.
    public func duration(to other: TestTime) -> Swift.Duration { .nanoseconds(distance(to: other).magnitude) }
}

extension TestTime {
    /// An interval on a clock that a test advances.
    ///
    /// Lengths that do not fit become the greatest one, as those of a `DispatchQueue` do, and count as endless.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// Nanoseconds, signed.
        public var magnitude: Int

        // It calculates with those, and differs in `init(exactly:)` and in how it is encoded.
        private typealias Length = DispatchQueue.SchedulerTimeType.Stride

        private init(of length: Length) { magnitude = length.magnitude }

        private var length: Length { .nanoseconds(magnitude) }

        /// Creates an interval from a number of seconds.
        public init(integerLiteral value: Int) { self = .seconds(value) }

        /// Creates an interval from a number of seconds.
        public init(floatLiteral value: Double) { self = .seconds(value) }

        /// Creates an interval from a number of nanoseconds, or `nil` if it does not fit.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let nanoseconds = Int(exactly: source) else { return nil }
            self = .nanoseconds(nanoseconds)
        }

        /// Creates an interval from a duration, in whole nanoseconds.
        public init(_ duration: Swift.Duration) {
            let (seconds, attoseconds) = duration.components
            self = .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Stride { Stride(of: .seconds(s)) }

        /// A number of seconds, rounded to the nearest nanosecond.
        ///
        /// NaN traps.
        public static func seconds(_ s: Double) -> Stride { Stride(of: .seconds(s)) }

        /// A number of milliseconds.
        public static func milliseconds(_ ms: Int) -> Stride { Stride(of: .milliseconds(ms)) }

        /// A number of microseconds.
        public static func microseconds(_ us: Int) -> Stride { Stride(of: .microseconds(us)) }

        /// A number of nanoseconds.
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(of: .nanoseconds(ns)) }

        /// Whether the first is less than the second.
        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        /// The sum of both.
        public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(of: lhs.length + rhs.length) }

        /// The difference of both.
        public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(of: lhs.length - rhs.length) }

        /// The product of both numbers of nanoseconds.
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(of: lhs.length * rhs.length) }

        /// Multiplies the first by the second.
        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }
    }
}

extension TestTime.Stride: CustomStringConvertible {
    /// The length in seconds, such as `1.5s`.
    public var description: String {
        magnitude.isMultiple(of: 1_000_000_000) ? "\(magnitude / 1_000_000_000)s" : "\(Double(magnitude) / 1e9)s"
    }
}
