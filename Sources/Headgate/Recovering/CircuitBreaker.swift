import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// Keeps runs of a stream from beginning while its source is known to fail; shared by all streams that use that source.
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
/// It is closed at first, and every run begins. When so many runs in a row have failed as its policy says, it opens, and
/// runs are rejected: nobody subscribes to their source. When it has been open for long enough, the next run is tried
/// (half open) and others are rejected until that has ended: if it finishes, the breaker closes, and if it fails, it opens
/// anew. A run that is cancelled counts for nothing.
///
/// It may be used from any number of threads. The source of this pattern is Michael Nygard's "Release It!" (2007).
public final class CircuitBreaker {
    /// What decides.
    public let policy: CircuitBreakerPolicy

    /// What it is called in failures.
    public let name: String

    private let circuit: Guarded<Circuit>

    private let elapsed: () -> Duration

    private let states = CurrentValueSubject<CircuitState, Never>(.closed)

    /// Makes a breaker that is closed.
    ///
    /// - Parameters:
    ///   - policy: When it opens, for how long, and what closes it.
    ///   - name: What it is called in failures.
    ///   - scheduler: What tells the time. Nothing is scheduled.
    public init(_ policy: CircuitBreakerPolicy = CircuitBreakerPolicy(), name: String = "", scheduler: some Scheduler) {
        self.policy = policy
        self.name = name
        circuit = Guarded(Circuit(policy))
        let start = scheduler.now
        elapsed = { start.duration(to: scheduler.now) }
    }

    /// Whether runs begin.
    ///
    /// An open breaker becomes half open when a run asks to begin, not by itself.
    public var state: CircuitState { circuit.withLock { $0.state } }

    /// Publishes the present state, and each change.
    ///
    /// **Demand**: a subscriber that has not asked misses changes, and gets the last when it asks. **Completion**: finishes
    /// when the breaker goes. **Complexity**: that of a `CurrentValueSubject`.
    public var statePublisher: AnyPublisher<CircuitState, Never> { states.removeDuplicates().eraseToAnyPublisher() }

    deinit { states.send(completion: .finished) }

    /// Asks to begin a run.
    ///
    /// - Returns: What to say at its end; `nil` if it is rejected.
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

    /// Hears that a run has ended.
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

// What threads share is under the lock; the clock is made to be read from any thread.
extension CircuitBreaker: @unchecked Sendable {}

extension Strideable where Stride: SchedulerTimeIntervalConvertible {
    /// How much later another moment is, in whole nanoseconds where it is less than a century.
    ///
    /// A scheduler's interval can be made of a number of seconds, and not asked for one. So this looks for the number.
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
    /// Subscribes to this publisher if a circuit breaker lets it, and tells the breaker how it went.
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
    /// A run that finishes has succeeded, a run that fails has failed, and one that is cancelled counts for nothing.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is; a run that is rejected fails at once.
    /// - **Complexity**: constant time a value, and a short lock at the beginning and the end of a run.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; every one does, where this is missing.
    ///   - rejected: Makes the failure of a run that is rejected.
    public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping StreamClosure<Failure, Bool> = { _ in true },
        rejected: @escaping StreamClosure<CircuitOpen, Failure>
    ) -> Publishers.CircuitBroken<Self> {
        Publishers.CircuitBroken(upstream: self, breaker: breaker, isFailure: isFailure, rejected: rejected)
    }
}

extension Publisher where Failure == any Error {
    /// Subscribes to this publisher if a circuit breaker lets it, and otherwise fails with ``CircuitOpen``.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of ``circuitBreaker(_:where:rejected:)``.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, which several streams may share.
    ///   - isFailure: Whether a failure counts against the source; every one does, where this is missing.
    public func circuitBreaker(
        _ breaker: CircuitBreaker, where isFailure: @escaping StreamClosure<any Error, Bool> = { _ in true }
    ) -> Publishers.CircuitBroken<Self> {
        circuitBreaker(breaker, where: isFailure, rejected: { $0 })
    }
}

extension Publishers {
    /// A publisher that is subscribed to if a circuit breaker lets it.
    public struct CircuitBroken<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// What decides whether it is subscribed to.
        public let breaker: CircuitBreaker

        /// Whether a failure counts against the source.
        public let isFailure: StreamClosure<Failure, Bool>

        /// What makes the failure of a run that is rejected.
        public let rejected: StreamClosure<CircuitOpen, Failure>

        /// Makes the publisher that `circuitBreaker(_:)` returns.
        public init(
            upstream: Upstream, breaker: CircuitBreaker, isFailure: @escaping StreamClosure<Upstream.Failure, Bool>,
            rejected: @escaping StreamClosure<CircuitOpen, Upstream.Failure>
        ) {
            self.upstream = upstream
            self.breaker = breaker
            self.isFailure = isFailure
            self.rejected = rejected
        }

        /// Connects a subscriber, if the breaker lets it.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            guard let ticket = breaker.admit() else {
                return subscriber.connect(toEnd: .failure(rejected(CircuitOpen(name: breaker.name))))
            }
            var observer = StreamObserver<Output, Failure>()
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
