public import Foundation
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// A run loop runs closures on its thread, in its default mode, while it is run.
///
/// ```swift
/// RunLoop.main.schedule { print("soon") }
/// RunLoop.main.run(until: Date() + 0.1)
/// // soon
/// ```
extension RunLoop: Scheduler {
    /// There is nothing to choose.
    public struct SchedulerOptions: Sendable {}

    /// The present moment, on a clock that does not follow when the machine's is set.
    ///
    /// It shows the time of day as it was when it was first read, and as much later as has passed since. So it never goes
    /// back, and work waits for as long as was said, whatever happens to the time of day. A moment made from `Date()` is
    /// off by as much as the machine's clock has been set meanwhile: start from `now`.
    public var now: SchedulerTimeType { SchedulerTimeType(SteadyClock.shared.now) }

    /// Nothing: the run loop is as exact as it can be.
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    /// Runs a closure when the run loop next comes round; closures run in the order in which they were scheduled.
    public func schedule(options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>) {
        // It is for the caller to know what may run on the run loop's thread.
        #if !StrictClosures
            nonisolated(unsafe) let action = action
        #endif
        perform(inModes: [.default]) { action() }
        RunLoopAlarm.of(self).wake(self)
    }

    /// Runs a closure at a moment; closures for one moment run in the order in which they were scheduled.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping StreamClosure<Void>
    ) {
        RunLoopAlarm.of(self).insert(date.date, on: self, action)
    }

    /// Runs a closure at a moment and again after every interval, until the answer is cancelled or released.
    ///
    /// The closure is released at that moment. What the run loop could not do in time is left out.
    ///
    /// - Parameter interval: Zero or more; a negative one is a programmer's error and traps.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping StreamClosure<Void>
    ) -> any Cancellable {
        interval.checkAsInterval()
        let work = ClearableAction(action)
        let first = Date(timeIntervalSinceNow: SteadyClock.shared.time(until: date.date))
        let timer = Timer(fire: first, interval: interval.timeInterval, repeats: true) { _ in work.run() }
        timer.tolerance = max(0, tolerance.timeInterval)
        add(timer, forMode: .default)
        return AnyCancellable(
            serially {
                timer.invalidate()
                work.clear()
            })
    }
}

extension RunLoop {
    /// A moment on the clock that shows the time of day.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The moment.
        public var date: Date

        /// Makes a moment.
        public init(_ date: Date) { self.date = date }

        /// The time from this moment to another, negative if that is earlier.
        public func distance(to other: Self) -> Stride { Stride(other.date.timeIntervalSince(date)) }

        /// The moment so much later.
        public func advanced(by n: Stride) -> Self { Self(date.addingTimeInterval(n.timeInterval)) }

        /// Whether the left moment is the earlier one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.date < rhs.date }

        /// Whether both are the same moment.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.date == rhs.date }
    }
}

extension RunLoop.SchedulerTimeType {
    /// A length of time in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable, Codable, Sendable
    {
        /// What a literal with a point is read as.
        public typealias FloatLiteralType = TimeInterval

        /// What a whole literal is read as.
        public typealias IntegerLiteralType = TimeInterval

        /// What the number of seconds is kept as.
        public typealias Magnitude = TimeInterval

        /// Seconds, with their sign.
        public var magnitude: TimeInterval

        /// Seconds, with their sign.
        public var timeInterval: TimeInterval { magnitude }

        /// Makes a length of a number of seconds.
        public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }

        /// Makes a length of a number of seconds.
        public init(integerLiteral value: TimeInterval) { self.init(value) }

        /// Makes a length of a number of seconds.
        public init(floatLiteral value: TimeInterval) { self.init(value) }

        /// Makes a length of a number of seconds, if a floating-point number can tell it from its neighbours.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = TimeInterval(exactly: source) else { return nil }
            self.init(seconds)
        }

        /// A number of seconds.
        public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }

        /// A number of seconds.
        public static func seconds(_ s: Double) -> Self { Self(s) }

        /// A number of thousandths of a second.
        public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1000) }

        /// A number of millionths of a second.
        public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }

        /// A number of billionths of a second.
        public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

        /// Whether the left length is the smaller one.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

        /// Both together.
        public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }

        /// What the left length is greater by.
        public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }

        /// The product of the two numbers of seconds.
        public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }

        /// Adds a length.
        public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

        /// Subtracts a length.
        public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

        /// Multiplies by a number of seconds.
        public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

        func checkAsInterval() {
            if !(magnitude >= 0) {
                programmerError(
                    rule: "The interval of repeated work can't be negative.", found: "\(magnitude) seconds",
                    remedy: "Give the time from one run to the next.")
            }
        }
    }
}
