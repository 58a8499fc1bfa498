import HeadgateCore

/// A scheduler whose clock stands still until the test moves it.
///
/// What is due is run in the order of its moment, and at one moment in the order in which it was scheduled; work that is
/// scheduled meanwhile and falls due before the goal is run too. Nothing is ever run from inside `schedule`. Every test
/// makes its own. It may be used by one thread at a time: there is no lock in it.
public final class VirtualScheduler: Scheduler {
    /// A piece of work that was handed over, as the scheduler was told of it.
    public struct Call: Equatable {
        /// The moment asked for; `nil` where it was to be as soon as possible.
        public var date: SchedulerTimeType?

        /// The interval asked for; `nil` where the work was to be done once.
        public var interval: SchedulerTimeType.Stride?

        /// The tolerance allowed; `nil` where it was to be as soon as possible.
        public var tolerance: SchedulerTimeType.Stride?

        /// The options given.
        public var options: SchedulerOptions?

        /// Makes the description of a call, to compare others with.
        public init(
            date: SchedulerTimeType? = nil, interval: SchedulerTimeType.Stride? = nil,
            tolerance: SchedulerTimeType.Stride? = nil, options: SchedulerOptions? = nil
        ) {
            self.date = date
            self.interval = interval
            self.tolerance = tolerance
            self.options = options
        }
    }

    /// A label, to see whether options arrive.
    public struct SchedulerOptions: Hashable {
        /// What tells these options from others.
        public var label: String

        /// Makes options.
        public init(label: String) { self.label = label }
    }

    private final class Entry {
        var date: SchedulerTimeType
        var action: (() -> Void)?
        let interval: SchedulerTimeType.Stride?

        init(date: SchedulerTimeType, interval: SchedulerTimeType.Stride?, action: @escaping () -> Void) {
            self.date = date
            self.interval = interval
            self.action = action
        }
    }

    /// The present moment: zero at the start.
    public private(set) var now = SchedulerTimeType(nanoseconds: 0)

    /// What was handed over, in order.
    public private(set) var calls: [Call] = []

    /// Whether a piece of work is being done.
    public private(set) var isRunning = false

    // Sorted by date, and at one date by age. What lies before `head` has been done.
    private var agenda: [Entry] = []
    private var head = 0

    /// Makes a scheduler on which nothing is scheduled, at moment zero.
    public init() {}

    /// Zero.
    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    /// How many pieces of work wait and have not been cancelled.
    public var pendingCount: Int { agenda[head...].lazy.filter { $0.action != nil }.count }

    /// The moment of the next piece of work that waits.
    public var nextDate: SchedulerTimeType? { agenda[head...].lazy.first { $0.action != nil }?.date }

    /// Runs a closure when the test next runs what is due.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        calls.append(Call(options: options))
        insert(Entry(date: now, interval: nil, action: action))
    }

    /// Runs a closure when the clock gets to a moment.
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {
        calls.append(Call(date: date, tolerance: tolerance, options: options))
        insert(Entry(date: max(date, now), interval: nil, action: action))
    }

    /// Runs a closure at a moment and again after every interval, until the answer is cancelled or let go of.
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        precondition(interval > .zero, "An interval is greater than zero, or time would stand still: \(interval)")
        calls.append(Call(date: date, interval: interval, tolerance: tolerance, options: options))
        let entry = Entry(date: max(date, now), interval: interval, action: action)
        insert(entry)
        return AnyCancellable { entry.action = nil }
    }

    /// Moves the clock on, and runs what falls due on the way.
    public func advance(by stride: SchedulerTimeType.Stride) { advance(to: now.advanced(by: stride)) }

    /// Moves the clock to a moment, and runs what falls due on the way, work due at that very moment included.
    public func advance(to goal: SchedulerTimeType) {
        while head < agenda.count, agenda[head].date <= goal { runFirst() }
        now = max(now, goal)
    }

    /// Runs what is due at the present moment.
    public func runDue() { advance(to: now) }

    /// Runs everything that is waiting, and all that follows from it, however late.
    ///
    /// - Parameter limit: The number of pieces of work after which it stops, for there may be timers that go on for ever.
    public func runAll(limit: Int = 10_000_000) {
        var count = 0
        while head < agenda.count, count < limit {
            runFirst()
            count += 1
        }
    }

    private func runFirst() {
        let entry = agenda[head]
        head += 1
        if head > 1024, head > agenda.count / 2 {
            agenda.removeFirst(head)
            head = 0
        }
        guard let action = entry.action else { return }
        if entry.interval == nil { entry.action = nil }
        now = max(now, entry.date)
        let wasRunning = isRunning
        isRunning = true
        action()
        isRunning = wasRunning
        if let interval = entry.interval, entry.action != nil {
            entry.date = entry.date.advanced(by: interval)
            insert(entry)
        }
    }

    private func insert(_ entry: Entry) {
        // Most work is scheduled behind all that waits.
        if head < agenda.count, let last = agenda.last, last.date > entry.date {
            var low = head
            var high = agenda.count
            while low < high {
                let middle = (low + high) / 2
                if agenda[middle].date <= entry.date { low = middle + 1 } else { high = middle }
            }
            agenda.insert(entry, at: low)
        } else {
            agenda.append(entry)
        }
    }
}

extension VirtualScheduler {
    /// A moment on the virtual clock.
    public struct SchedulerTimeType: Strideable, Hashable, Codable, Sendable {
        /// Nanoseconds since the scheduler was made.
        public var nanoseconds: Int

        /// Makes the moment so many nanoseconds after the scheduler was made.
        public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

        /// The time from this moment to another.
        public func distance(to other: Self) -> Stride { .nanoseconds(other.nanoseconds - nanoseconds) }

        /// The moment so much later.
        public func advanced(by n: Stride) -> Self { Self(nanoseconds: nanoseconds + n.magnitude) }

        /// A length of virtual time.
        public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
            Hashable, Codable, Sendable
        {
            /// Nanoseconds, with their sign.
            public var magnitude: Int

            /// Makes a length of a number of seconds.
            public init(integerLiteral value: Int) { self = .seconds(value) }

            /// Makes a length of a number of seconds.
            public init(floatLiteral value: Double) { self = .seconds(value) }

            /// Makes a length of a number of nanoseconds, if that is possible.
            public init?<T: BinaryInteger>(exactly source: T) {
                guard let nanoseconds = Int(exactly: source) else { return nil }
                self = .nanoseconds(nanoseconds)
            }

            private init(magnitude: Int) { self.magnitude = magnitude }

            /// A number of seconds.
            public static func seconds(_ s: Int) -> Self { Self(magnitude: s * 1_000_000_000) }

            /// A number of seconds, to the nearest nanosecond.
            public static func seconds(_ s: Double) -> Self { Self(magnitude: Int((s * 1_000_000_000).rounded())) }

            /// A number of thousandths of a second.
            public static func milliseconds(_ ms: Int) -> Self { Self(magnitude: ms * 1_000_000) }

            /// A number of millionths of a second.
            public static func microseconds(_ us: Int) -> Self { Self(magnitude: us * 1000) }

            /// A number of billionths of a second.
            public static func nanoseconds(_ ns: Int) -> Self { Self(magnitude: ns) }

            /// Whether the left side is shorter.
            public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }

            /// Both together.
            public static func + (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude + rhs.magnitude) }

            /// What the left side is longer by.
            public static func - (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude - rhs.magnitude) }

            /// The product of the two numbers of nanoseconds.
            public static func * (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude * rhs.magnitude) }

            /// Multiplies by a number of nanoseconds.
            public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
        }
    }
}
