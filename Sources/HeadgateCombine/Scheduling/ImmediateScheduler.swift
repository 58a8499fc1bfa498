import HeadgateCore
import HeadgateEngine

/// A scheduler that runs everything at once, on the calling thread, before `schedule` returns.
///
/// Its clock stands still: there is one moment, and every length of time is nothing. Work for later is done at once as
/// well, and work that is to be repeated is done one time.
///
/// ```swift
/// let cancellable = (1...3).publisher
///     .receive(on: ImmediateScheduler.shared)
///     .sink { print($0) }
/// // 1
/// // 2
/// // 3
/// ```
@frozen public struct ImmediateScheduler: Scheduler, Sendable {
    /// There is nothing to choose.
    public typealias SchedulerOptions = Never

    /// The scheduler: there is no difference between one and another.
    public static let shared = ImmediateScheduler()

    @inlinable init() {}

    /// The one moment.
    @inlinable public var now: SchedulerTimeType { SchedulerTimeType() }

    /// Nothing.
    @inlinable public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure now.
    @inlinable public func schedule(options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>) { action() }

    /// Runs a closure now.
    @inlinable public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping StreamClosure<Void>
    ) { action() }

    /// Runs a closure now, one time.
    ///
    /// - Returns: A cancellable that has nothing to cancel.
    @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable {
        action()
        return Subscriptions.empty
    }
}

extension ImmediateScheduler {
    /// The one moment that there is.
    @frozen public struct SchedulerTimeType: Strideable, Hashable, Sendable {
        @inlinable init() {}

        /// Nothing, for there is one moment only.
        @inlinable public func distance(to other: Self) -> Stride { 0 }

        /// The same moment.
        @inlinable public func advanced(by n: Stride) -> Self { self }

        /// A number that stands where other schedulers have a length of time.
        ///
        /// All units of time are nothing here.
        @frozen
        public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable, Hashable, Sendable,
            SchedulerTimeIntervalConvertible
        {
            /// What a literal with a point is read as.
            public typealias FloatLiteralType = Double

            /// What a whole literal is read as.
            public typealias IntegerLiteralType = Int

            /// What the number is kept as.
            public typealias Magnitude = Int

            /// The number, with its sign.
            public var magnitude: Int

            /// Makes a stride of a number.
            @inlinable public init(_ value: Int) { magnitude = value }

            /// Makes a stride of a number.
            @inlinable public init(integerLiteral value: Int) { self.init(value) }

            /// Makes a stride of a number, without what is behind the point.
            @inlinable public init(floatLiteral value: Double) { self.init(Int(value)) }

            /// Makes a stride of a number, if it fits.
            @inlinable public init?<T: BinaryInteger>(exactly source: T) {
                guard let value = Int(exactly: source) else { return nil }
                self.init(value)
            }

            /// Nothing.
            @inlinable public static func seconds(_ s: Int) -> Self { 0 }

            /// Nothing.
            @inlinable public static func seconds(_ s: Double) -> Self { 0 }

            /// Nothing.
            @inlinable public static func milliseconds(_ ms: Int) -> Self { 0 }

            /// Nothing.
            @inlinable public static func microseconds(_ us: Int) -> Self { 0 }

            /// Nothing.
            @inlinable public static func nanoseconds(_ ns: Int) -> Self { 0 }

            /// Whether the left number is smaller.
            @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

            /// The sum.
            @inlinable public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

            /// The difference.
            @inlinable public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

            /// The product.
            @inlinable public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

            /// Adds to the left number.
            @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

            /// Subtracts from the left number.
            @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

            /// Multiplies the left number.
            @inlinable public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
        }
    }
}
