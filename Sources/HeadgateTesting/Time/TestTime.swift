import HeadgateCore

/// A moment on a clock that a test moves by hand.
public struct TestTime: Strideable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the clock was made.
    public var nanoseconds: Int

    /// Makes the moment so many nanoseconds after the clock was made.
    public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// The moment at which every clock begins.
    public static let zero = TestTime(nanoseconds: 0)

    /// The time from this moment to another.
    public func distance(to other: TestTime) -> Stride { .nanoseconds(other.nanoseconds - nanoseconds) }

    /// The moment so much later.
    public func advanced(by n: Stride) -> TestTime { TestTime(nanoseconds: nanoseconds + n.magnitude) }

    /// The seconds since the clock was made, as in `1.5s`.
    public var description: String { Stride.nanoseconds(nanoseconds).description }
}

extension TestTime: InstantProtocol {
    /// A length of time, as clocks have it.
    public typealias Duration = Swift.Duration

    /// The moment so much later.
    public func advanced(by duration: Swift.Duration) -> TestTime { advanced(by: Stride(duration)) }

    /// The time from this moment to another.
    public func duration(to other: TestTime) -> Swift.Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
}

extension TestTime {
    /// A length of time on a clock that a test moves by hand.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// Nanoseconds, with their sign.
        public var magnitude: Int

        private init(magnitude: Int) { self.magnitude = magnitude }

        /// Makes a length of a number of seconds.
        public init(integerLiteral value: Int) { self = .seconds(value) }

        /// Makes a length of a number of seconds.
        public init(floatLiteral value: Double) { self = .seconds(value) }

        /// Makes a length of a number of nanoseconds, if that is possible.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let nanoseconds = Int(exactly: source) else { return nil }
            self = .nanoseconds(nanoseconds)
        }

        /// Makes a length of a duration, in whole nanoseconds.
        public init(_ duration: Swift.Duration) {
            let (seconds, attoseconds) = duration.components
            self = .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Stride { Stride(magnitude: s * 1_000_000_000) }

        /// A number of seconds, to the nearest nanosecond.
        public static func seconds(_ s: Double) -> Stride { Stride(magnitude: Int((s * 1_000_000_000).rounded())) }

        /// A number of thousandths of a second.
        public static func milliseconds(_ ms: Int) -> Stride { Stride(magnitude: ms * 1_000_000) }

        /// A number of millionths of a second.
        public static func microseconds(_ us: Int) -> Stride { Stride(magnitude: us * 1000) }

        /// A number of billionths of a second.
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(magnitude: ns) }

        /// Whether the left side is shorter.
        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        /// Both together.
        public static func + (lhs: Stride, rhs: Stride) -> Stride { Stride(magnitude: lhs.magnitude + rhs.magnitude) }

        /// What the left side is longer by.
        public static func - (lhs: Stride, rhs: Stride) -> Stride { Stride(magnitude: lhs.magnitude - rhs.magnitude) }

        /// The product of the two numbers of nanoseconds.
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(magnitude: lhs.magnitude * rhs.magnitude) }

        /// Multiplies by a number of nanoseconds.
        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }
    }
}

extension TestTime.Stride: CustomStringConvertible {
    /// The length in seconds, as in `1.5s`.
    public var description: String {
        magnitude.isMultiple(of: 1_000_000_000) ? "\(magnitude / 1_000_000_000)s" : "\(Double(magnitude) / 1e9)s"
    }
}
