import HeadgateEngine

/// How many signals could not be delivered in one place, within an interval.
public struct UndeliverableSummary: Hashable, Sendable {
    /// The operator that dropped them, as in `onBackpressure`; `nil` for failures that no subscriber was left to receive.
    public let place: String?

    /// The next stage of a flow downstream of that operator, as in `telemetry/totals`; `nil` if there is none, or none before
    /// a publisher that shares.
    public let stage: String?

    /// The number of dropped values.
    public internal(set) var values = 0

    /// The number of failures.
    public internal(set) var failures = 0

    /// The first of them, as text.
    public let first: String

    /// The length of the interval.
    public let interval: Duration
}

extension UndeliverableSummary: CustomStringConvertible {
    /// A line for a log.
    public var description: String {
        let counts = [(values, "value"), (failures, "failure")].filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        let names = [place, stage].compactMap(\.self).joined(separator: " before ")
        return "\(names.isEmpty ? "undeliverable:" : "\(names) dropped") \(counts.joined(separator: " and "))"
            + " within \(interval), the first: \(first)"
    }
}

extension Undeliverables {
    /// Sets an observer of counts, in place of the previous observer.
    ///
    /// An interval begins with the first signal that is dropped. At its end, the observer is called once for each place
    /// in which something has been dropped meanwhile; without drops, it is never called. A place is an operator and, if
    /// there is one, the stage of a `Flow` that follows it: name stages to tell two buffers apart.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let time = TestScheduler()
    /// Undeliverables.observe(every: .seconds(10), clock: TestClock(time)) { print($0) }
    /// let source = PassthroughSubject<Int, Never>()
    /// let subscriber = TestSubscriber<Int, Never>(.none)
    /// source.onBackpressureDrop { _ in }.subscribe(subscriber)
    /// for number in 1...10_000 { source.send(number) }
    /// time.advance(by: .seconds(10))
    /// // onBackpressure dropped 10000 values within 10.0 seconds, the first: 1
    /// Undeliverables.observe(nil)
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The length of the interval.
    ///   - clock: The clock that measures it.
    ///   - observer: Called where the clock's timers run, one call at a time.
    public static func observe(
        every interval: Duration, clock: any Clock<Duration> = ContinuousClock(),
        _ observer: @escaping @Sendable (UndeliverableSummary) -> Void
    ) {
        let scheduler = ClockScheduler(clock)
        let counts = Guarded<[UndeliverableSummary]>([])
        Undeliverable.observe { signal, place in
            if counts.withLock({ $0.count(signal, at: place) }) { return }
            // Outside the lock, because it is made by foreign code.
            let text =
                switch signal {
                case .success(let value): "\(value)"
                case .failure(let failure): "\(failure)"
                }
            let isFirst = counts.withLock { counts in
                if counts.count(signal, at: place) { return false }
                counts.append(
                    UndeliverableSummary(
                        place: place?.name.description, stage: place?.stage, first: text, interval: interval))
                return counts.count(signal, at: place) && counts.count == 1
            }
            if !isFirst { return }
            scheduler.schedule(after: scheduler.now.advanced(by: .init(interval))) {
                for summary in counts.withLock({ exchange(&$0, with: []) }) { observer(summary) }
            }
        }
    }
}

extension [UndeliverableSummary] {
    /// Counts a signal, if the place is known.
    fileprivate mutating func count(_ signal: Undeliverable.Signal, at place: Undeliverable.Place?) -> Bool {
        let name = place?.name.description
        guard let index = firstIndex(where: { $0.place == name && $0.stage == place?.stage }) else { return false }
        switch signal {
        case .success: self[index].values += 1
        case .failure: self[index].failures += 1
        }
        return true
    }
}
