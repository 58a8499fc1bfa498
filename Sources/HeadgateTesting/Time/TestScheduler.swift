import Headgate
import HeadgateEngine
import HeadgateCore

/// A scheduler whose clock stands still until the test moves it.
///
/// What is due runs in the order of its moment, and at one moment in the order in which it was scheduled; work that is
/// scheduled meanwhile and falls due before the goal runs too. Nothing ever runs from inside `schedule`. There is no
/// shared one: every test makes its own, so tests can run side by side. Any thread may schedule; one moves the clock.
///
/// ```swift
/// let scheduler = TestScheduler()
/// scheduler.schedule(after: scheduler.now.advanced(by: .seconds(2))) { print("ding") }
/// scheduler.advance(by: .seconds(1))
/// scheduler.advance(by: .seconds(1))
/// // ding
/// print(scheduler.unfinished)
/// // []
/// ```
public final class TestScheduler: Scheduler, @unchecked Sendable {
    // All state is behind the lock, and actions run outside it.

    /// A moment on this scheduler's clock.
    public typealias SchedulerTimeType = TestTime

    /// A label, to see whether options arrive.
    public struct SchedulerOptions: Hashable, Sendable {
        /// What tells these options from others.
        public var label: String

        /// Makes options.
        public init(label: String) { self.label = label }
    }

    /// A piece of work that waits.
    public struct Unfinished: Equatable, Sendable, CustomStringConvertible {
        /// The moment at which it falls due next.
        public internal(set) var date: TestTime

        /// The time between two runs; `nil` where it runs once.
        public let interval: TestTime.Stride?

        /// By how much it may be late; zero where it was to run as soon as possible.
        public let tolerance: TestTime.Stride

        /// The options it was scheduled with.
        public let options: SchedulerOptions?

        /// The moment and the interval, as in `at 2s, every 1s`.
        public var description: String { "at \(date)" + (interval.map { ", every \($0)" } ?? "") }
    }

    private let agenda = Guarded(Agenda())

    /// What to do inside the next call that hands over work.
    let whenScheduled = Interruption()

    /// Makes a scheduler on which nothing is scheduled, at moment zero.
    public init() {}

    /// The present moment: zero at the start.
    public var now: TestTime { agenda.withLock { $0.now } }

    /// Zero.
    public var minimumTolerance: TestTime.Stride { .zero }

    /// The work that waits, in the order in which it falls due.
    ///
    /// Empty at the end of a test that leaves no timer behind.
    public var unfinished: [Unfinished] { agenda.withLock { $0.unfinished } }

    /// How many pieces of work were handed over so far.
    public var scheduledCount: Int { agenda.withLock { $0.scheduledCount } }

    /// Runs a closure when the test next runs what is due.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        agenda.withLock {
            _ = $0.insert(.init(date: $0.now, interval: nil, tolerance: .zero, options: options), action: action)
        }
        whenScheduled.take()
    }

    /// Runs a closure when the clock gets to a moment; the tolerance is only written down.
    public func schedule(
        after date: TestTime, tolerance: TestTime.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void
    ) {
        agenda.withLock {
            _ = $0.insert(.init(date: date, interval: nil, tolerance: tolerance, options: options), action: action)
        }
        whenScheduled.take()
    }

    /// Runs a closure at a moment and again after every interval, until the answer is cancelled or let go of.
    ///
    /// - Parameter interval: The time between two runs. An interval that is not greater than zero is a programmer's
    ///   error and traps, for time would stand still.
    public func schedule(
        after date: TestTime, interval: TestTime.Stride, tolerance: TestTime.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        if interval <= .zero {
            programmerError(
                rule: "The interval of repeated work is greater than zero.", found: "\(interval)",
                remedy: "Schedule the work once, or with an interval.")
        }
        return insert(.init(date: date, interval: interval, tolerance: tolerance, options: options), action)
    }

    /// Runs a closure when the clock gets to a moment, unless the answer is cancelled or let go of before.
    func scheduleOnce(at date: TestTime, _ action: @escaping () -> Void) -> AnyCancellable {
        insert(.init(date: date, interval: nil, tolerance: .zero, options: nil), action)
    }

    private func insert(_ entry: Unfinished, _ action: @escaping () -> Void) -> AnyCancellable {
        let number = agenda.withLock { $0.insert(entry, action: action) }
        whenScheduled.take()
        return AnyCancellable { [weak self] in
            // What is taken out of the agenda is let go of outside the lock.
            _ = self?.agenda.withLock { $0.remove(number) }
        }
    }

    /// Moves the clock on, and runs what falls due on the way.
    public func advance(by stride: TestTime.Stride) { advance(to: now.advanced(by: stride)) }

    /// Moves the clock to a moment, and runs what falls due on the way, work due at that very moment included.
    public func advance(to goal: TestTime) {
        while let action = agenda.withLock({ $0.next(until: goal) }) { action() }
        agenda.withLock { $0.now = max($0.now, goal) }
    }

    /// Runs what is due at the present moment.
    public func runDue() { advance(to: now) }

    /// Moves the clock from one piece of work to the next until none waits.
    ///
    /// - Parameter limit: After how many pieces of work to stop, for there may be timers that go on for ever.
    /// - Returns: Whether nothing waits any more.
    @discardableResult public func runUntilIdle(limit: Int = 10_000) -> Bool {
        for _ in 0..<limit {
            guard let action = agenda.withLock({ $0.next(until: nil) }) else { return true }
            action()
        }
        return agenda.withLock { $0.isEmpty }
    }
}
