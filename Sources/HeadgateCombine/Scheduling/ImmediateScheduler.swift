/// A scheduler that runs everything immediately on the calling thread, before `schedule` returns.
///
/// Its clock stands still: there is a single point in time, and every length of time is zero. Delayed work runs
/// immediately too, and repeated work runs once.
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

    /// The shared scheduler; all immediate schedulers are the same.
    public static let shared = ImmediateScheduler()

    @inlinable init() {}

    /// The single point in time.
    @inlinable public var now: SchedulerTimeType { SchedulerTimeType() }

    /// Zero.
    @inlinable public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure immediately.
    @preconcurrency @inlinable public func schedule(
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) { action() }

    /// Runs a closure immediately.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) { action() }

    /// Runs a closure immediately, once.
    ///
    /// - Returns: A cancellable that has nothing to cancel.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        action()
        return Subscriptions.empty
    }
}

extension ImmediateScheduler {
    /// The single point in time of an immediate scheduler.
    @frozen public struct SchedulerTimeType: Strideable, Hashable, Sendable {
        @inlinable init() {}

        /// Returns zero: there is a single point in time.
        @inlinable public func distance(to other: Self) -> Stride { 0 }

        /// Returns the same time.
        @inlinable public func advanced(by n: Stride) -> Self { self }

        /// A number in the role of another scheduler's length of time.
        ///
        /// All units of time are zero here.
        @frozen
        public struct Stride: ExpressibleByFloatLiteral, Comparable, SignedNumeric, Codable, Hashable, Sendable,
            SchedulerTimeIntervalConvertible
        {
            /// The type of a floating-point literal.
            public typealias FloatLiteralType = Double

            /// The type of an integer literal.
            public typealias IntegerLiteralType = Int

            /// The type of the number.
            public typealias Magnitude = Int

            /// The signed number.
            public var magnitude: Int

            /// Creates a stride from a number.
            @inlinable public init(_ value: Int) { magnitude = value }

            /// Creates a stride from a number.
            @inlinable public init(integerLiteral value: Int) { self.init(value) }

            /// Creates a stride from a number, discarding its fraction.
            @inlinable public init(floatLiteral value: Double) { self.init(Int(value)) }

            /// Creates a stride from a number, if it fits.
            @inlinable public init?<T: BinaryInteger>(exactly source: T) {
                guard let value = Int(exactly: source) else { return nil }
                self.init(value)
            }

            /// Zero.
            @inlinable public static func seconds(_ s: Int) -> Self { 0 }

            /// Zero.
            @inlinable public static func seconds(_ s: Double) -> Self { 0 }

            /// Zero.
            @inlinable public static func milliseconds(_ ms: Int) -> Self { 0 }

            /// Zero.
            @inlinable public static func microseconds(_ us: Int) -> Self { 0 }

            /// Zero.
            @inlinable public static func nanoseconds(_ ns: Int) -> Self { 0 }

            /// Whether the first is less than the second.
            @inlinable public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

            /// The sum of both.
            @inlinable public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

            /// The difference of both.
            @inlinable public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

            /// The product of both.
            @inlinable public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

            /// Adds the second to the first.
            @inlinable public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

            /// Subtracts the second from the first.
            @inlinable public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

            /// Multiplies the first by the second.
            @inlinable public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
        }
    }
}
