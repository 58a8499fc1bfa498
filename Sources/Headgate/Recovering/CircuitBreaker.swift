import HeadgateEngine

/// Rejects runs of a stream while its source is known to fail; shared by all streams that use that source.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// struct Refused: Error {}
/// let scheduler = TestScheduler()
/// let policy = CircuitBreakerPolicy(failures: 2, openFor: .seconds(10))
/// let breaker = CircuitBreaker(policy, name: "stock", scheduler: scheduler)
/// for _ in 1...3 {
///     let cancellable = Fail<Int, any Error>(error: Refused())
///         .circuitBreaker(breaker)
///         .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
///     cancellable.cancel()
/// }
/// // failure(main.Refused())
/// // failure(main.Refused())
/// // failure(the circuit of stock is open)
/// print(breaker.state)
/// // open
/// ```
///
/// The breaker starts closed, and every run begins. After as many consecutive failures as the policy allows, it opens
/// and rejects runs: their source is not subscribed to. When it has been open for long enough, it tries the next run
/// (half open), and rejects others until that one has ended: if it finishes, the breaker closes; if it fails, the
/// breaker opens again. A cancelled run, or one whose stream is released before it ends, does not count, and makes
/// room for the next one.
///
/// A stream that makes several runs at once, such as a `zip` of two requests, may fail with the run that is rejected and
/// cancel the one that is tried. So if a trial is cancelled after a rejection, twice as many runs at a time are tried from
/// then on, until the breaker opens or closes. The policy may allow several from the start.
///
/// A `timeout` belongs before the breaker, `service.timeout(…).circuitBreaker(breaker)`: then a service that doesn't answer
/// fails, and opens the breaker. Behind the breaker, it cancels the run, which does not count unless the policy has a
/// ``CircuitBreakerPolicy/silence``.
///
/// For streams that never finish, the policy says after how many values a run has succeeded. A failure after that
/// counts like that of another run.
///
/// It may be used from any number of threads. The source of this pattern is Michael Nygard's "Release It!" (2007).
public final class CircuitBreaker {
    /// When the breaker opens and closes.
    public let policy: CircuitBreakerPolicy

    /// Its name in failures.
    public let name: String

    private struct Shared {
        var circuit: Circuit

        /// The changes of the state that have not been published.
        var changes = Queue<CircuitState>()

        /// Whether a caller publishes changes, which others leave to it, so that they are published in their order.
        var isPublishing = false
    }

    private let shared: Guarded<Shared>

    let elapsed: () -> Duration

    private let states = CurrentValueSubject<CircuitState, Never>(.closed)

    /// Creates a closed breaker.
    ///
    /// - Parameters:
    ///   - policy: When it opens, for how long, and what closes it.
    ///   - name: Its name in failures.
    ///   - scheduler: The scheduler that measures time. Nothing is scheduled.
    public init(_ policy: CircuitBreakerPolicy = CircuitBreakerPolicy(), name: String = "", scheduler: some Scheduler) {
        self.policy = policy
        self.name = name
        shared = Guarded(Shared(circuit: Circuit(policy)))
        let start = scheduler.now
        elapsed = { .nanoseconds(start.distance(to: scheduler.now).nanosecondCount) }
    }

    /// Whether runs begin.
    ///
    /// An open breaker becomes half open when a run is about to begin, not by itself.
    public var state: CircuitState { shared.withLock { $0.circuit.state } }

    /// Publishes the current state, and each change.
    ///
    /// **Demand**: a subscriber without demand misses changes, and receives the most recent state when it requests one.
    /// **Completion**: finishes when the breaker is deallocated. **Threads**: a state is delivered on the thread that
    /// changes it, or by one that is delivering already. **Complexity**: that of a `CurrentValueSubject`.
    public var statePublisher: AnyPublisher<CircuitState, Never> { states.removeDuplicates().eraseToAnyPublisher() }

    deinit { states.send(completion: .finished) }

    /// Admits or rejects a run.
    ///
    /// - Returns: The ticket to pass at its end; `nil` if it is rejected.
    @usableFromInline func admit() -> Int? {
        let now = elapsed()
        return update { $0.admit(at: now) }
    }

    /// Records the outcome of a run.
    func end(_ ticket: Int, _ outcome: Circuit.Outcome) {
        let now = elapsed()
        update { $0.end(ticket, outcome, at: now) }
    }

    /// Records that a run has succeeded, and goes on.
    ///
    /// - Returns: The ticket to pass if it fails later.
    func succeed(_ ticket: Int) -> Int { update { $0.succeed(ticket) } }

    /// Changes the circuit, and publishes its state if that has changed.
    private func update<Result>(_ change: (inout Circuit) -> Result) -> Result {
        let (result, publishes) = shared.withLock { shared in
            let before = shared.circuit.state
            let result = change(&shared.circuit)
            if shared.circuit.state != before { shared.changes.append(shared.circuit.state) }
            let publishes = !shared.isPublishing && !shared.changes.isEmpty
            shared.isPublishing = shared.isPublishing || publishes
            return (result, publishes)
        }
        while publishes, let state = nextChange() { states.send(state) }
        return result
    }

    private func nextChange() -> CircuitState? {
        shared.withLock { shared in
            let state = shared.changes.popFirst()
            shared.isPublishing = state != nil
            return state
        }
    }
}

// A lock guards the shared state; the clock may be read from any thread.
extension CircuitBreaker: @unchecked Sendable {}

extension Publisher {
    /// Subscribes to this publisher if a circuit breaker admits it, and reports the outcome to the breaker.
    ///
    /// ```
    /// self            1---2---|
    /// breaker closed  1---2---|
    /// breaker open    x
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let policy = CircuitBreakerPolicy(failures: 2, openFor: .seconds(10))
    /// let breaker = CircuitBreaker(policy, name: "stock", scheduler: TestScheduler())
    /// let cancellable = Just(7).setFailureType(to: (any Error).self)
    ///     .circuitBreaker(breaker)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 7
    /// // finished
    /// ```
    ///
    /// A run that finishes, or has published as many values as the breaker's policy says, counts as a success, one
    /// that fails as a failure. A cancelled run does not count, unless the policy has a
    /// ``CircuitBreakerPolicy/silence``: put a `timeout` before this operator.
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded; a rejected run fails at once.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, and `isFailure` is called
    ///   on that on which upstream fails. `rejected` is called on the subscribing thread. Changes of the breaker's
    ///   state are published on the thread that causes them, or by a thread that is publishing one.
    /// - **Complexity**: constant time per value, and a short lock at the beginning and the end of a run.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; by default, every one does.
    ///   - rejected: Creates the failure of a rejected run.
    @preconcurrency @inlinable public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping @Sendable (Failure) -> Bool = { _ in true },
        rejected: @escaping @Sendable (CircuitOpen) -> Failure
    ) -> Publishers.CircuitBroken<Self> {
        Publishers.CircuitBroken(upstream: self, breaker: breaker, isFailure: isFailure, rejected: rejected)
    }
}

extension Publisher where Failure == any Error {
    /// Subscribes to this publisher if a circuit breaker admits it, and otherwise fails with ``CircuitOpen``.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of ``circuitBreaker(_:where:rejected:)``.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; by default, every one does.
    @preconcurrency @inlinable public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Publishers.CircuitBroken<Self> {
        circuitBreaker(breaker, where: isFailure, rejected: { $0 })
    }
}

extension Publishers {
    /// A publisher that subscribes to upstream if a circuit breaker admits it.
    public struct CircuitBroken<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The breaker that admits or rejects runs.
        public let breaker: CircuitBreaker

        /// Whether a failure counts against the source.
        public let isFailure: @Sendable (Failure) -> Bool

        /// Creates the failure of a rejected run.
        public let rejected: @Sendable (CircuitOpen) -> Failure

        /// Creates the publisher that `circuitBreaker(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, breaker: CircuitBreaker, isFailure: @escaping @Sendable (Upstream.Failure) -> Bool,
            rejected: @escaping @Sendable (CircuitOpen) -> Upstream.Failure
        ) {
            self.upstream = upstream
            self.breaker = breaker
            self.isFailure = isFailure
            self.rejected = rejected
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            guard let ticket = breaker.admit() else {
                return subscriber.complete(with: .failure(rejected(CircuitOpen(name: breaker.name))))
            }
            let run = CircuitRun(breaker, ticket)
            var observer = ClosureObserver<Output, Failure>()
            if run.countsValues { observer.value = { _ in run.receiveValue() } }
            observer.completion = { [isFailure] completion in
                switch completion {
                case .finished: run.end(.succeeded)
                case .failure(let failure): run.end(isFailure(failure) ? .failed : .neutral)
                }
            }
            observer.cancel = { run.cancel() }
            upstream.receive(subscriber: ObservingConduit(name: "CircuitBreaker", observer, subscriber))
        }
    }
}

extension Publishers.CircuitBroken: Sendable where Upstream: Sendable {}
