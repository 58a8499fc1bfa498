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

        private init(magnitude: Int) { self.magnitude = magnitude }

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
            self = Stride(Int(seconds), times: 1_000_000_000) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        }

        private init(_ count: Int, times nanoseconds: Int) {
            let (product, overflow) = count.multipliedReportingOverflow(by: nanoseconds)
            magnitude = overflow ? ((count < 0) == (nanoseconds < 0) ? .max : .min) : product
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Stride { Stride(s, times: 1_000_000_000) }

        /// A number of seconds, rounded to the nearest nanosecond.
        ///
        /// NaN traps.
        public static func seconds(_ s: Double) -> Stride {
            if s.isNaN {
                programmerError(
                    rule: "A length of time must be a number.", found: "\(s)",
                    remedy: "Find out where the NaN comes from.")
            }
            let nanoseconds = (s * 1_000_000_000).rounded()
            return Stride(magnitude: Int(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
        }

        /// A number of milliseconds.
        public static func milliseconds(_ ms: Int) -> Stride { Stride(ms, times: 1_000_000) }

        /// A number of microseconds.
        public static func microseconds(_ us: Int) -> Stride { Stride(us, times: 1000) }

        /// A number of nanoseconds.
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(magnitude: ns) }

        /// Whether the first is less than the second.
        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        /// The sum of both.
        public static func + (lhs: Stride, rhs: Stride) -> Stride {
            let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
            return Stride(magnitude: overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
        }

        /// The difference of both.
        public static func - (lhs: Stride, rhs: Stride) -> Stride {
            let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
            return Stride(magnitude: overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
        }

        /// The product of both numbers of nanoseconds.
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(lhs.magnitude, times: rhs.magnitude) }

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
