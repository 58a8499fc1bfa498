import Dispatch
import HeadgateEngine

extension DispatchQueue {
    /// A time on the clock of dispatch queues.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The time as Dispatch represents it.
        public var dispatchTime: DispatchTime

        /// Creates a time.
        public init(_ time: DispatchTime) { dispatchTime = time }

        /// Decodes a time from a single number, the nanoseconds since boot.
        public init(from decoder: any Decoder) throws {
            let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
            self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
        }

        /// Encodes the time as a single number, the nanoseconds since boot.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dispatchTime.uptimeNanoseconds)
        }

        /// Returns the time from this time to another, negative if the other is earlier.
        public func distance(to other: Self) -> Stride {
            let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            return start <= end
                ? Stride(nanoseconds: Int(clamping: end - start)) : Stride(nanoseconds: -Int(clamping: start - end))
        }

        /// Returns the time after a stride, at most `DispatchTime.distantFuture`.
        public func advanced(by n: Stride) -> Self { Self(dispatchTime + n.timeInterval) }

        /// Returns whether the left time is earlier.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime < rhs.dispatchTime }

        /// Returns whether both times are equal.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime == rhs.dispatchTime }

        /// Feeds what is compared into a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }
}

extension DispatchQueue.SchedulerTimeType {
    /// A length of time in whole nanoseconds.
    ///
    /// Lengths that don't fit an `Int` are clamped to its range (292 years), in both directions. Literals are seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// The type of a floating-point literal.
        public typealias FloatLiteralType = Double

        /// The type of an integer literal.
        public typealias IntegerLiteralType = Int

        /// The type of the number of nanoseconds.
        public typealias Magnitude = Int

        /// The signed number of nanoseconds.
        public var magnitude: Int

        init(nanoseconds: Int) { magnitude = nanoseconds }

        init(_ count: Int, times nanoseconds: Int) {
            let (product, overflow) = count.multipliedReportingOverflow(by: nanoseconds)
            magnitude = overflow ? ((count < 0) == (nanoseconds < 0) ? .max : .min) : product
        }

        /// The length of time as Dispatch represents it.
        public var timeInterval: DispatchTimeInterval {
            get { magnitude == .max ? .never : .nanoseconds(magnitude) }
            set { self = Self(newValue) }
        }

        /// Creates a length of time.
        ///
        /// `.never` becomes the greatest length.
        public init(_ timeInterval: DispatchTimeInterval) {
            switch timeInterval {
            case .seconds(let count): self = .seconds(count)
            case .milliseconds(let count): self = .milliseconds(count)
            case .microseconds(let count): self = .microseconds(count)
            case .nanoseconds(let count): self = .nanoseconds(count)
            case .never: self = .nanoseconds(.max)
            @unknown default: self = .nanoseconds(.max)
            }
        }

        /// Creates a stride from a number of seconds.
        public init(floatLiteral value: Double) { self = .seconds(value) }

        /// Creates a stride from a number of seconds.
        public init(integerLiteral value: Int) { self = .seconds(value) }

        /// Creates a length from a number of seconds, as a literal does, if it fits.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = Int(exactly: source) else { return nil }
            let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            if overflow { return nil }
            self.init(nanoseconds: nanoseconds)
        }

        // The same keys as in Combine, so that each can read what the other has written.
        private enum CodingKeys: String, CodingKey {
            case magnitude = "_nanoseconds"
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Self { Self(s, times: 1_000_000_000) }

        /// A number of seconds, rounded to the nearest nanosecond.
        ///
        /// NaN traps.
        public static func seconds(_ s: Double) -> Self {
            if s.isNaN {
                programmerError(
                    rule: "A length of time must be a number.", found: "\(s)",
                    remedy: "Find out where the NaN comes from.")
            }
            let nanoseconds = (s * 1_000_000_000).rounded()
            return Self(nanoseconds: Int(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
        }

        /// A number of milliseconds.
        public static func milliseconds(_ ms: Int) -> Self { Self(ms, times: 1_000_000) }

        /// A number of microseconds.
        public static func microseconds(_ us: Int) -> Self { Self(us, times: 1000) }

        /// A number of nanoseconds.
        public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

        /// Returns whether the left length is smaller.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

        /// Returns the sum.
        public static func + (lhs: Self, rhs: Self) -> Self {
            let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
            return Self(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
        }

        /// Returns the difference.
        public static func - (lhs: Self, rhs: Self) -> Self {
            let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
            return Self(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
        }

        /// Returns the product of the two numbers of nanoseconds.
        public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude, times: rhs.magnitude) }

        /// Adds a length.
        public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

        /// Subtracts a length.
        public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

        /// Multiplies by a number of nanoseconds.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
}
