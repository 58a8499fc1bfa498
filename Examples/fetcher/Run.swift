import Headgate
import HeadgateFlow
import Terminal

/// Fetches all pages, and reports what happens.
// Used on the scheduler alone, hence unchecked.
final class Run<Context: Scheduler & Sendable>: @unchecked Sendable
where Context.SchedulerOptions: Sendable, Context.SchedulerTimeType.Stride: Sendable {
    private let arguments: Arguments
    private let scheduler: Context
    private let start: Context.SchedulerTimeType
    private let service: Service<Context>
    private let breaker: CircuitBreaker
    private let time: () -> Duration
    private let flow: Flow
    private var watch: AnyCancellable?
    /// On a terminal, what happens all the time is drawn over, so that the rest stays on the screen.
    private let line = StatusLine.ifAllIsPrintedThere

    private let policy = RetryPolicy.exponential(
        initial: .milliseconds(100), factor: 2, cap: .seconds(1), jitter: .equal, retries: 4)

    /// - Parameter time: Returns how long the program has run.
    init(_ arguments: Arguments, on scheduler: Context, _ flow: Flow, time: @escaping () -> Duration) {
        self.flow = flow
        self.arguments = arguments
        self.scheduler = scheduler
        self.time = time
        start = scheduler.now
        service = Service(scheduler, seed: arguments.seed)
        breaker = CircuitBreaker(
            CircuitBreakerPolicy(failures: 5, openFor: .milliseconds(400)), name: "the service", scheduler: scheduler)
    }

    /// Fetches the pages, with a limit on concurrency and on the rate per second.
    func begin(then end: @escaping @Sendable () -> Void) -> AnyCancellable {
        say("retries: \(policy)")
        say("circuit: \(breaker.policy)")
        watch = breaker.statePublisher.dropFirst().sink { [weak self] in self?.notify("the circuit is \($0.name)") }
        return (1...arguments.requests).publisher
            .rateLimit(20, per: .seconds(1), burst: 4, scheduler: scheduler)
            .flatMap(maxPublishers: .max(8)) { number in
                self.fetch(number).mapToResult().map { (number, $0) }
            }
            .sink { _ in
                self.line?.clear()
                self.flow.printTable()
                end()
            } receiveValue: { number, result in
                switch result {
                case .success(let page): self.notify("\(page) received", isUsual: true)
                case .failure(let exhausted): self.notify("page \(number): \(exhausted)")
                }
            }
    }

    /// One page, with as many attempts as necessary.
    private func fetch(_ number: Int) -> AnyPublisher<String, RetryExhausted<FetchError>> {
        service.page(number)
            .timeout(total: .milliseconds(250), scheduler: scheduler, failure: { .late($0) })
            .circuitBreaker(breaker, rejected: { .rejected($0) })
            .stage("attempts", in: flow)
            .retry(
                policy, scheduler: scheduler, using: Chance(seed: arguments.seed &+ UInt64(number)),
                onRetry: { [weak self] in
                    self?.notify("page \(number): \($0.failure), retry \($0.number)", isUsual: true)
                },
                exhausted: { $0 }
            )
            .stage("pages", in: flow)
            .eraseToAnyPublisher()
    }

    private func notify(_ event: String, isUsual: Bool = false) {
        let milliseconds = Int(time() / .milliseconds(1))
        let digits = String(milliseconds)
        let text = "\(String(repeating: " ", count: max(0, 5 - digits.count)))\(digits) ms  \(event)"
        if let line, isUsual, !arguments.isQuiet { line.show(text) } else { say(text) }
    }

    private func say(_ text: String) {
        if arguments.isQuiet { return }
        line?.clear()
        print(text)
    }
}

extension CircuitState {
    fileprivate var name: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half open"
        }
    }
}
