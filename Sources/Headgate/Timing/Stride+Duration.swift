extension SchedulerTimeIntervalConvertible where Self: AdditiveArithmetic {
    /// A duration on a scheduler's clock, limited to a century.
    @usableFromInline package init(_ duration: Duration) {
        let century = Duration.seconds(100 * 365 * 86_400)
        let (seconds, attoseconds) = min(max(duration, .zero - century), century).components
        self = .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    }
}
