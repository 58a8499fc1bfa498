import HeadgateEngine

/// Calls back once after a delay, on the clock of a scheduler.
package struct Alarm: Sendable {
    private let set: @Sendable (Duration, @escaping @Sendable () -> Void) -> any HeadgateEngine.Alarm

    /// Creates an alarm on a scheduler.
    package init(_ scheduler: some Scheduler & Sendable) {
        set = { delay, action in
            scheduler.alarm(
                at: scheduler.now.advanced(by: .init(delay)), tolerance: scheduler.minimumTolerance, options: nil,
                action)
        }
    }

    /// Calls back once after a delay; can't be cancelled.
    package func once(after delay: Duration, _ action: @escaping @Sendable () -> Void) { _ = set(delay, action) }

    /// Calls back after a delay, unless the result is cancelled or released first.
    package func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
        let alarm = set(delay, action)
        return AnyCancellable { alarm.cancel() }
    }
}
