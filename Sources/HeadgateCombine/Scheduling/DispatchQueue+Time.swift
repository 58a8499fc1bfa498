import Dispatch
import HeadgateCore
import HeadgateEngine

extension DispatchQueue {
    /// A moment on the clock that queues go by.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The moment.
        public var dispatchTime: DispatchTime

        /// Makes a moment.
        public init(_ time: DispatchTime) { dispatchTime = time }

        /// Reads a moment from one number, the nanoseconds since the machine was started.
        public init(from decoder: any Decoder) throws {
            let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
            self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
        }

        /// Writes the moment as one number, the nanoseconds since the machine was started.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dispatchTime.uptimeNanoseconds)
        }

        /// The time from this moment to another, negative if that is earlier.
        public func distance(to other: Self) -> Stride {
            let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            return start <= end
                ? Stride(nanoseconds: Int(clamping: end - start)) : Stride(nanoseconds: -Int(clamping: start - end))
        }

        /// The moment so much later, `DispatchTime.distantFuture` at the latest.
        public func advanced(by n: Stride) -> Self { Self(dispatchTime + n.timeInterval) }

        /// Whether the left moment is the earlier one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime < rhs.dispatchTime }

        /// Whether both are the same moment.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.dispatchTime == rhs.dispatchTime }

        /// Feeds the moment.
        public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.uptimeNanoseconds) }
    }
}

extension DispatchQueue.SchedulerTimeType {
    /// A length of time in whole nanoseconds.
    ///
    /// Lengths too great for an `Int` are as long as can be (292 years), in both directions. Literals are seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// What a literal with a point is read as.
        public typealias FloatLiteralType = Double

        /// What a whole literal is read as.
        public typealias IntegerLiteralType = Int

        /// What the number of nanoseconds is kept as.
        public typealias Magnitude = Int

        /// Nanoseconds, with their sign.
        public var magnitude: Int

        init(nanoseconds: Int) { magnitude = nanoseconds }

        init(_ count: Int, times nanoseconds: Int) {
            let (product, overflow) = count.multipliedReportingOverflow(by: nanoseconds)
            magnitude = overflow ? ((count < 0) == (nanoseconds < 0) ? .max : .min) : product
        }

        /// The length of time.
        public var timeInterval: DispatchTimeInterval {
            get { magnitude == .max ? .never : .nanoseconds(magnitude) }
            set { self = Self(newValue) }
        }

        /// Makes a length of time.
        ///
        /// `.never` is as long as can be.
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

        /// Makes a length of a number of seconds.
        public init(floatLiteral value: Double) { self = .seconds(value) }

        /// Makes a length of a number of seconds.
        public init(integerLiteral value: Int) { self = .seconds(value) }

        /// Makes a length of a number of seconds, as a literal does, if it fits.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = Int(exactly: source) else { return nil }
            let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
            if overflow { return nil }
            self.init(nanoseconds: nanoseconds)
        }

        // As Combine has it: lengths that one has written are read by the other.
        private enum CodingKeys: String, CodingKey {
            case magnitude = "_nanoseconds"
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Self { Self(s, times: 1_000_000_000) }

        /// A number of seconds, to the nearest nanosecond.
        ///
        /// Not-a-number is a programmer's error and traps.
        public static func seconds(_ s: Double) -> Self {
            if s.isNaN {
                programmerError(
                    rule: "A length of time is a number of seconds.", found: "\(s)",
                    remedy: "See where the not-a-number comes from.")
            }
            let nanoseconds = (s * 1_000_000_000).rounded()
            return Self(nanoseconds: Int(exactly: nanoseconds) ?? (nanoseconds < 0 ? .min : .max))
        }

        /// A number of thousandths of a second.
        public static func milliseconds(_ ms: Int) -> Self { Self(ms, times: 1_000_000) }

        /// A number of millionths of a second.
        public static func microseconds(_ us: Int) -> Self { Self(us, times: 1000) }

        /// A number of billionths of a second.
        public static func nanoseconds(_ ns: Int) -> Self { Self(nanoseconds: ns) }

        /// Whether the left length is the smaller one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

        /// Both together.
        public static func + (lhs: Self, rhs: Self) -> Self {
            let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
            return Self(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
        }

        /// What the left length is greater by.
        public static func - (lhs: Self, rhs: Self) -> Self {
            let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
            return Self(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
        }

        /// The product of the two numbers of nanoseconds.
        public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude, times: rhs.magnitude) }

        /// Adds a length.
        public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

        /// Subtracts a length.
        public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

        /// Multiplies by a number of nanoseconds.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
}
