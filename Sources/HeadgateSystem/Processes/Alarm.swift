import Headgate

/// Calls back once after a while, by whatever clock a scheduler has.
package struct Alarm: Sendable {
    private let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// Makes an alarm of a scheduler.
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

    /// Calls back once after a while, whatever happens until then.
    func once(after delay: Duration, _ action: @escaping @Sendable () -> Void) { schedule(delay, action) }

    /// Calls back after a while, unless cancelled or forgotten before.
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
        let waiting = Waiting(action)
        schedule(delay) { waiting.take()?() }
        return AnyCancellable { _ = waiting.take() }
    }

    /// What is to be done, released when it is done or not wanted any more.
    private final class Waiting: Sendable {
        private let action: Guarded<(@Sendable () -> Void)?>

        init(_ action: @escaping @Sendable () -> Void) { self.action = Guarded(action) }

        func take() -> (@Sendable () -> Void)? { action.withLock { $0.take() } }
    }
}
