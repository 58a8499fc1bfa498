import HeadgateCore

/// A scheduler whose clock stands still until the test moves it.
///
/// Due work runs in the order of its time, and for one time in the order of scheduling; work that is scheduled
/// meanwhile and due before the goal runs, too. Nothing runs from inside `schedule`. There is no shared instance: every
/// test creates its own, so tests can run in parallel. Any thread may schedule; one thread advances the clock.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let scheduler = TestScheduler()
/// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2))) { print("ding") }
/// scheduler.advance(by: .seconds(1))
/// scheduler.advance(by: .seconds(1))
/// // ding
/// print(scheduler.unfinished)
/// // []
/// ```
public final class TestScheduler: Scheduler, @unchecked Sendable {
    // All state is guarded by the lock, and actions run outside it.

    /// A time on this scheduler's clock.
    public typealias SchedulerTimeType = TestTime

    /// A label, to check that options arrive.
    public struct SchedulerOptions: Hashable, Sendable {
        /// The label that distinguishes these options from others.
        public var label: String

        /// Creates options.
        public init(label: String) { self.label = label }
    }

    /// A pending piece of work.
    public struct Unfinished: Equatable, Sendable, CustomStringConvertible {
        /// The time at which it is due next.
        public internal(set) var date: TestTime

        /// The time between two runs; `nil` if it runs once.
        public let interval: TestTime.Stride?

        /// The tolerance it was scheduled with; zero for work that runs as soon as possible.
        public let tolerance: TestTime.Stride

        /// The options it was scheduled with.
        public let options: SchedulerOptions?

        /// The time and the interval, such as `at 2s, every 1s`.
        public var description: String { "at \(date)" + (interval.map { ", every \($0)" } ?? "") }
    }

    private let agenda = Guarded(Agenda())

    /// An action to run inside the next call that schedules work.
    package let actionInSchedule = PendingAction()

    /// The time that a column stands for in the time-lines of this scheduler's publishers and subscribers.
    public let column: TestTime.Stride

    /// Creates a scheduler at time zero, with nothing scheduled.
    ///
    /// - Parameter column: The time that a column of a time-line stands for: more than zero.
    public init(column: TestTime.Stride = .seconds(1)) {
        require(
            column > .zero, rule: "A column of a time-line stands for a time greater than zero.", found: "\(column)",
            remedy: "Pass .milliseconds(500), for instance.")
        self.column = column
    }

    /// The current time: zero at the start.
    public var now: TestTime { agenda.withLock { $0.now } }

    /// Zero.
    public var minimumTolerance: TestTime.Stride { .zero }

    /// The pending work, in the order in which it is due.
    ///
    /// Empty at the end of a test that leaves no timer pending.
    public var unfinished: [Unfinished] { agenda.withLock { $0.unfinished } }

    /// The number of pieces of work scheduled so far.
    public var scheduledCount: Int { agenda.withLock { $0.scheduledCount } }

    /// Runs a closure when the test next runs what is due.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        insert(.init(date: now, interval: nil, tolerance: .zero, options: options), action)
    }

    /// Runs a closure when the clock reaches a time; the tolerance is only recorded.
    public func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        insert(.init(date: date, interval: nil, tolerance: tolerance, options: options), action)
    }

    /// Runs a closure at a time and again after every interval, until the result is cancelled or released.
    ///
    /// - Parameter interval: The time between two runs. An interval that is not greater than zero traps, because time
    ///   would stand still.
    public func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        require(
            interval > .zero, rule: "The interval of repeated work is greater than zero.", found: "\(interval)",
            remedy: "Schedule the work once, or with an interval.")
        let entry = Unfinished(date: date, interval: interval, tolerance: tolerance, options: options)
        let number = insert(entry, action)
        return AnyCancellable { [weak self] in self?.remove(number) }
    }

    /// - Returns: The number with which the work can be removed.
    @discardableResult func insert(_ entry: Unfinished, _ action: @escaping () -> Void) -> Int {
        let number = agenda.withLock { $0.insert(entry, action: action) }
        actionInSchedule.take()
        return number
    }

    /// Removes work that is pending, and releases it outside the lock.
    func remove(_ number: Int) { _ = agenda.withLock { $0.remove(number) } }

    func isPending(_ number: Int) -> Bool { agenda.withLock { $0.contains(number) } }

    /// Advances the clock, and runs work that becomes due.
    public func advance(by stride: TestTime.Stride) { advance(to: now.advanced(by: stride)) }

    /// Advances the clock to a time, and runs work that becomes due, including work due at that time.
    public func advance(to goal: TestTime) {
        while let action = agenda.withLock({ $0.next(until: goal) }) { action() }
        agenda.withLock { $0.now = max($0.now, goal) }
    }

    /// Runs the work that is due now.
    public func runDue() { advance(to: now) }

    /// Advances the clock from one piece of work to the next until none is pending.
    ///
    /// - Parameter limit: The maximum number of pieces of work to run, because timers may repeat forever.
    /// - Returns: Whether nothing is pending.
    @discardableResult public func runUntilIdle(limit: Int = 10_000) -> Bool {
        for _ in 0..<limit {
            guard let action = agenda.withLock({ $0.next(until: nil) }) else { return true }
            action()
        }
        return agenda.withLock { $0.isEmpty }
    }
}
