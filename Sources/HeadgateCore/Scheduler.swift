/// A length of time that can be created from units of time.
public protocol SchedulerTimeIntervalConvertible: StrictlySendableMetatype {
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
public protocol Scheduler<SchedulerTimeType>: StrictlySendableMetatype {
    /// A time on the scheduler's clock.
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible

    /// The options for one closure; `Never` if there are none.
    associatedtype SchedulerOptions

    /// The current time.
    var now: SchedulerTimeType { get }

    /// The smallest delay that the scheduler distinguishes from none.
    var minimumTolerance: SchedulerTimeType.Stride { get }

    /// Runs a closure as soon as possible.
    func schedule(options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>)

    /// Runs a closure at a given time, or later within the tolerance.
    func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping StreamClosure<Void>)

    /// Runs a closure at a given time and again after every interval, until cancelled.
    func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable
}

extension Scheduler {
    /// Runs a closure as soon as possible.
    @inlinable public func schedule(_ action: @escaping StreamClosure<Void>) {
        schedule(options: nil, action)
    }

    /// Runs a closure at a given time.
    @inlinable public func schedule(after date: SchedulerTimeType, _ action: @escaping StreamClosure<Void>) {
        schedule(after: date, tolerance: minimumTolerance, options: nil, action)
    }

    /// Runs a closure at a given time, or later within the tolerance.
    @inlinable public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, _ action: @escaping StreamClosure<Void>
    ) {
        schedule(after: date, tolerance: tolerance, options: nil, action)
    }

    /// Runs a closure at a given time and again after every interval, until cancelled.
    @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: tolerance, options: nil, action)
    }

    /// Runs a closure at a given time and again after every interval, until cancelled.
    @inlinable public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }
}
