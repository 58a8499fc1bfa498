import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// Rejects runs of a stream while its source is known to fail; shared by all streams that use that source.
///
/// ```swift
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
/// breaker opens again. A cancelled run does not count.
///
/// It may be used from any number of threads. The source of this pattern is Michael Nygard's "Release It!" (2007).
public final class CircuitBreaker {
    /// When the breaker opens and closes.
    public let policy: CircuitBreakerPolicy

    /// Its name in failures.
    public let name: String

    private let circuit: Guarded<Circuit>

    private let elapsed: () -> Duration

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
        circuit = Guarded(Circuit(policy))
        let start = scheduler.now
        elapsed = { start.duration(to: scheduler.now) }
    }

    /// Whether runs begin.
    ///
    /// An open breaker becomes half open when a run is about to begin, not by itself.
    public var state: CircuitState { circuit.withLock { $0.state } }

    /// Publishes the current state, and each change.
    ///
    /// **Demand**: a subscriber without demand misses changes, and receives the most recent state when it requests one.
    /// **Completion**: finishes when the breaker is deallocated. **Complexity**: that of a `CurrentValueSubject`.
    public var statePublisher: AnyPublisher<CircuitState, Never> { states.removeDuplicates().eraseToAnyPublisher() }

    deinit { states.send(completion: .finished) }

    /// Admits or rejects a run.
    ///
    /// - Returns: The ticket to pass at its end; `nil` if it is rejected.
    @usableFromInline func admit() -> Int? {
        let now = elapsed()
        let (ticket, change) = circuit.withLock { circuit in
            let before = circuit.state
            let ticket = circuit.admit(at: now)
            return (ticket, circuit.state == before ? nil : circuit.state)
        }
        if let change { states.send(change) }
        return ticket
    }

    /// Records the outcome of a run.
    @usableFromInline func end(_ ticket: Int, _ outcome: Circuit.Outcome) {
        let now = elapsed()
        let change = circuit.withLock { circuit in
            let before = circuit.state
            circuit.end(ticket, outcome, at: now)
            return circuit.state == before ? nil : circuit.state
        }
        if let change { states.send(change) }
    }
}

// A lock guards the shared state; the clock may be read from any thread.
extension CircuitBreaker: @unchecked Sendable {}

extension Strideable where Stride: SchedulerTimeIntervalConvertible {
    /// The time until another moment, in whole nanoseconds if it is less than a century.
    ///
    /// A scheduler's interval can be made from a number of seconds, but not converted to one. So this searches for the
    /// number.
    fileprivate func duration(to other: Self) -> Duration {
        if other <= self { return .zero }
        var nanoseconds = 0
        var bit = 1 << 61
        while bit > 0 {
            if advanced(by: .seconds((nanoseconds + bit) / 1_000_000_000))
                .advanced(by: .nanoseconds((nanoseconds + bit) % 1_000_000_000)) <= other
            {
                nanoseconds += bit
            }
            bit >>= 1
        }
        return .nanoseconds(nanoseconds)
    }
}

extension Publisher {
    /// Subscribes to this publisher if a circuit breaker admits it, and reports the outcome to the breaker.
    ///
    /// ```
    /// breaker   closed
    /// self      1---2---|
    ///           1---2---|
    ///
    /// breaker   open
    ///           x
    /// ```
    ///
    /// ```swift
    /// let policy = CircuitBreakerPolicy(failures: 2, openFor: .seconds(10))
    /// let breaker = CircuitBreaker(policy, name: "stock", scheduler: TestScheduler())
    /// let cancellable = Just(7).setFailureType(to: (any Error).self)
    ///     .circuitBreaker(breaker)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 7
    /// // finished
    /// ```
    ///
    /// A run that finishes counts as a success, one that fails as a failure. A cancelled run does not count.
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded; a rejected run fails at once.
    /// - **Complexity**: constant time per value, and a short lock at the beginning and the end of a run.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; by default, every one does.
    ///   - rejected: Creates the failure of a rejected run.
    public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping StreamClosure<Failure, Bool> = { _ in true },
        rejected: @escaping StreamClosure<CircuitOpen, Failure>
    ) -> Publishers.CircuitBroken<Self> {
        Publishers.CircuitBroken(upstream: self, breaker: breaker, isFailure: isFailure, rejected: rejected)
    }
}

extension Publisher where Failure == any Error {
    /// Subscribes to this publisher if a circuit breaker admits it, and otherwise fails with ``CircuitOpen``.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of ``circuitBreaker(_:where:rejected:)``.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; by default, every one does.
    public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping StreamClosure<any Error, Bool> = { _ in true }
    ) -> Publishers.CircuitBroken<Self> {
        circuitBreaker(breaker, where: isFailure, rejected: { $0 })
    }
}

extension Publishers {
    /// A publisher that subscribes to upstream if a circuit breaker admits it.
    public struct CircuitBroken<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output

        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The breaker that admits or rejects runs.
        public let breaker: CircuitBreaker

        /// Whether a failure counts against the source.
        public let isFailure: StreamClosure<Failure, Bool>

        /// Creates the failure of a rejected run.
        public let rejected: StreamClosure<CircuitOpen, Failure>

        /// Creates the publisher that `circuitBreaker(_:)` returns.
        public init(
            upstream: Upstream, breaker: CircuitBreaker, isFailure: @escaping StreamClosure<Upstream.Failure, Bool>,
            rejected: @escaping StreamClosure<CircuitOpen, Upstream.Failure>
        ) {
            self.upstream = upstream
            self.breaker = breaker
            self.isFailure = isFailure
            self.rejected = rejected
        }

        public func receive(subscriber: some Subscriber<Output, Failure>) {
            guard let ticket = breaker.admit() else {
                return subscriber.complete(with: .failure(rejected(CircuitOpen(name: breaker.name))))
            }
            var observer = ClosureObserver<Output, Failure>()
            observer.completion = { [breaker, isFailure] completion in
                switch completion {
                case .finished: breaker.end(ticket, .succeeded)
                case .failure(let failure): breaker.end(ticket, isFailure(failure) ? .failed : .neutral)
                }
            }
            observer.cancel = { [breaker] in breaker.end(ticket, .neutral) }
            upstream.receive(subscriber: ObservingConduit(name: "CircuitBreaker", observer, subscriber))
        }
    }
}

extension Publishers.CircuitBroken: StrictlySendable where Upstream: StrictlySendable {}
