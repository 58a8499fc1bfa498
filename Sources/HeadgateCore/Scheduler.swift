/// A length of time that can be created from units of time.
@preconcurrency public protocol SchedulerTimeIntervalConvertible: SendableMetatype {
    /// A number of seconds.
    static func seconds(_ s: Int) -> Self
    /// A number of seconds, possibly fractional.
    static func seconds(_ s: Double) -> Self
    /// A number of milliseconds.
    static func milliseconds(_ ms: Int) -> Self
    /// A number of microseconds.
    static func microseconds(_ us: Int) -> Self
    /// A number of nanoseconds.
    static func nanoseconds(_ ns: Int) -> Self
}

/// An executor that runs closures now or later, with a clock.
@preconcurrency public protocol Scheduler<SchedulerTimeType>: SendableMetatype {
    /// A time on the scheduler's clock.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

    /// The options for one closure; `Never` if there are none.
    associatedtype SchedulerOptions

    /// The current time.
    var now: SchedulerTimeType { get }

    /// The smallest delay that the scheduler distinguishes from none.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    /// Runs a closure as soon as possible.
    @preconcurrency func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void)

    /// Runs a closure at a given time, or later within the tolerance.
    @preconcurrency func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void)

    /// Runs a closure at a given time and again after every interval, until cancelled.
    @preconcurrency func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable
}

extension Scheduler {
    /// Runs a closure as soon as possible.
    @preconcurrency @inlinable public func schedule(_ action: @escaping @Sendable () -> Void) {
        schedule(options: nil, action)
    }

    /// Runs a closure at a given time.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, _ action: @escaping @Sendable () -> Void
    ) {
        schedule(after: date, tolerance: minimumTolerance, options: nil, action)
    }

    /// Runs a closure at a given time, or later within the tolerance.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping @Sendable () -> Void
    ) {
        schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Runs a closure at a given time and again after every interval, until cancelled.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }

    /// Runs a closure at a given time and again after every interval, until cancelled.
    @preconcurrency @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }
}
