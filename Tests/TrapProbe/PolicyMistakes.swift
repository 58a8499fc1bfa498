import Headgate

/// Mistakes in policies and in operators that go on, share or remember.
enum PolicyMistakes {
    static func make(_ name: String?) {
        switch name {
        case "negative retries of a policy": _ = RetryPolicy.immediate(retries: -1)
        case "back-off that shrinks":
            _ = RetryPolicy.exponential(initial: .seconds(1), factor: 0.5, retries: 1)
        case "negative back-off": _ = RetryPolicy.constant(.seconds(-1), retries: 1)
        case "reset after nothing": _ = RetryPolicy.immediate(retries: 1).resetting(afterValues: 0)
        case "reset after no time": _ = RetryPolicy.immediate(retries: 1).resetting(after: .zero)
        case "circuit breaker that counts nothing": _ = CircuitBreakerPolicy(failures: 0)
        case "negative turns": _ = Just(1).repeat(times: -1)
        case "memory of nothing": _ = Just(1).removeAllDuplicates(rememberingLast: 0)
        case "batches of nothing": _ = [Just(1)].flatMapBatches(of: 0)
        case "negative buffer of a subject": _ = ReplaySubject<Int, Never>(bufferSize: -1)
        case "negative cache": _ = Just(1).cached(for: .seconds(1), limit: -1, scheduler: ImmediateScheduler.shared)
        case "connection without subscribers":
            _ = Just(1).makeConnectable().autoconnect(after: 0, scheduler: ImmediateScheduler.shared)
        case "stall of no time":
            _ = Just(1).onStall(for: .seconds(0), scheduler: ImmediateScheduler.shared) { _ in }
        default: break
        }
    }
}
