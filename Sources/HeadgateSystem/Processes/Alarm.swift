import Headgate

/// Calls back once after a delay, on the clock of a scheduler.
package struct Alarm: Sendable {
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// Creates an alarm on a scheduler.
    package init(_ scheduler: some Scheduler & Sendable) {
        schedule = { delay, action in
            let (seconds, attoseconds) = delay.components
            // A hundred years; the schedulers count nanoseconds in 64 bits.
            let capped = min(seconds, 3_155_760_000)
            let nanoseconds = Int(capped) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            scheduler.schedule(
                after: scheduler.now.advanced(by: .nanoseconds(nanoseconds)), tolerance: scheduler.minimumTolerance,
                options: nil, action)
        }
    }

    /// Calls back once after a delay; can't be cancelled.
    package func once(after delay: Duration, _ action: @escaping @Sendable () -> Void) { schedule(delay, action) }

    /// Calls back after a delay, unless the result is cancelled or released first.
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
        let waiting = Waiting(action)
        schedule(delay) { waiting.take()?() }
        return AnyCancellable { _ = waiting.take() }
    }

    /// The pending action, released when it has run or is cancelled.
    private final class Waiting: Sendable {
        private let action: Guarded<(@Sendable () -> Void)?>

        init(_ action: @escaping @Sendable () -> Void) { self.action = Guarded(action) }

        func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
    }
}
