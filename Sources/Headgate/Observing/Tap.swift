import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

/// How a run of a stream has ended.
public struct TapRun: Sendable {
    /// How long it has taken from the subscription.
    public let duration: Duration

    /// What was requested and has not come.
    public let outstanding: Subscribers.Demand

    /// The failure, where there was one.
    public let failure: (any Error)?

    /// How many values have been delivered.
    public let delivered: Int

    /// How many values were requested, apart from requests without limit, and how many requests had none.
    package let requests: (limited: Int, unlimited: Int)

    /// Makes the description of a run of its parts.
    public init(duration: Duration, outstanding: Subscribers.Demand, failure: (any Error)?, delivered: Int = 0) {
        self.init(
            duration: duration, outstanding: outstanding, failure: failure, delivered: delivered, requests: (0, 0))
    }

    package init(
        duration: Duration, outstanding: Subscribers.Demand, failure: (any Error)?, delivered: Int,
        requests: (limited: Int, unlimited: Int)
    ) {
        self.duration = duration
        self.outstanding = outstanding
        self.failure = failure
        self.delivered = delivered
        self.requests = requests
    }
}

/// What hears of everything that passes a place in a stream: a way in for metrics, tracing and logging.
///
/// Each method does nothing by default. They are called on the threads of the stream: values and ends one after the other,
/// requests and cancellations at any time. An observer that several streams share hears all of them.
public protocol TapObserver {
    /// A subscriber has been connected.
    func subscribed()

    /// Values have been requested: more than none.
    func requested(_ demand: Subscribers.Demand)

    /// A value is about to be passed on.
    func value<Value>(_ value: Value)

    /// A value has come after the end or after `cancel()`, and is dropped.
    func dropped<Value>(_ value: Value)

    /// The stream has ended, and the subscriber is about to be told.
    func completed(_ run: TapRun)

    /// The subscriber has cancelled, and upstream is about to be told.
    func cancelled(_ run: TapRun)
}

extension TapObserver {
    /// Does nothing.
    @inlinable public func subscribed() {}

    /// Does nothing.
    @inlinable public func requested(_ demand: Subscribers.Demand) {}

    /// Does nothing.
    @inlinable public func value<Value>(_ value: Value) {}

    /// Does nothing.
    @inlinable public func dropped<Value>(_ value: Value) {}

    /// Does nothing.
    @inlinable public func completed(_ run: TapRun) {}

    /// Does nothing.
    @inlinable public func cancelled(_ run: TapRun) {}
}

extension Publisher {
    /// Shows everything that passes here to an observer.
    ///
    /// ```
    /// self      1---2---3---|
    /// tap       1---2---3---|
    /// ```
    ///
    /// ```swift
    /// struct Log: TapObserver {
    ///     func requested(_ demand: Subscribers.Demand) { print("requested", demand) }
    ///     func value<Value>(_ value: Value) { print("value", value) }
    ///     func completed(_ run: TapRun) { print(run.failure == nil ? "finished" : "failed") }
    /// }
    /// let cancellable = [1, 2].publisher.tap(Log()).sink { _ in }
    /// // requested unlimited
    /// // value 1
    /// // value 2
    /// // finished
    /// ```
    ///
    /// - **Demand** and **Completion**: passed on as they are.
    /// - **Complexity**: one call of the observer a value.
    ///
    /// - Parameters:
    ///   - observer: What hears of it.
    ///   - clock: What measures how long a run takes; looked at twice a run.
    @inlinable public func tap<Observer: TapObserver, C: Clock>(
        _ observer: Observer, clock: C = ContinuousClock()
    ) -> Publishers.Tapped<Self, Observer> where C.Duration == Duration {
        Publishers.Tapped(upstream: self, observer: observer) {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
    }
}

extension Publishers {
    /// A publisher that shows what passes to an observer.
    public struct Tapped<Upstream: Publisher, Observer: TapObserver>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// What hears of it.
        public let observer: Observer

        /// Begins to measure; what it returns tells how long it has been.
        public let startClock: StreamClosure<() -> Duration>

        /// Makes the publisher that `tap(_:)` returns.
        @inlinable public init(
            upstream: Upstream, observer: Observer, startClock: @escaping StreamClosure<() -> Duration>
        ) {
            self.upstream = upstream
            self.observer = observer
            self.startClock = startClock
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: TapConduit(observer, startClock(), subscriber))
        }
    }
}

extension Publishers.Tapped: StrictlySendable where Upstream: StrictlySendable, Observer: StrictlySendable {}

/// Passes everything on, and tells an observer before it does.
@usableFromInline final class TapConduit<Input, Failure: Error, Observer: TapObserver>: Subscriber {
    /// What has been requested and not come, and how long the run has taken.
    @usableFromInline final class Account {
        @usableFromInline let outstanding = OutstandingDemand()

        @usableFromInline let elapsed: () -> Duration

        /// How many values have come: written by deliveries alone, which are serial.
        @usableFromInline let delivered = Atomic(0)

        @usableFromInline let limitedRequests = Atomic(0)

        @usableFromInline let unlimitedRequests = Atomic(0)

        @inlinable init(_ elapsed: @escaping () -> Duration) { self.elapsed = elapsed }

        /// Notes what is requested.
        ///
        /// - Returns: Whether there is anything to note, and the run is going on.
        @usableFromInline func add(_ demand: Subscribers.Demand) -> Bool {
            if outstanding.add(demand) == nil { return false }
            if let count = demand.max {
                limitedRequests.wrappingAdd(count, ordering: .relaxed)
            } else {
                unlimitedRequests.wrappingAdd(1, ordering: .relaxed)
            }
            return true
        }

        @inlinable @inline(__always) func takeOne() {
            if !outstanding.isUnlimited { _ = outstanding.takeOne() }
            delivered.store(delivered.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }

        @usableFromInline func close(_ failure: (any Error)? = nil) -> TapRun {
            TapRun(
                duration: elapsed(), outstanding: outstanding.close() ?? .none, failure: failure,
                delivered: delivered.load(ordering: .relaxed),
                requests: (limitedRequests.load(ordering: .relaxed), unlimitedRequests.load(ordering: .relaxed)))
        }
    }

    @usableFromInline let observer: Observer

    @usableFromInline let account: Account

    @usableFromInline let gate: Gate

    @usableFromInline let downstream: AnySubscriber<Input, Failure>

    @inlinable init(
        _ observer: Observer, _ elapsed: @escaping () -> Duration, _ downstream: some Subscriber<Input, Failure>
    ) {
        let account = Account(elapsed)
        self.observer = observer
        self.account = account
        self.downstream = AnySubscriber(downstream)
        gate = Gate(name: "Tap") { signal in
            switch signal {
            case .request(let demand):
                if account.add(demand) { observer.requested(demand) }
            case .cancel:
                observer.cancelled(account.close())
            }
        }
    }

    @inlinable func receive(subscription: any Subscription) {
        if !gate.upstream.fill(with: subscription) { return }
        observer.subscribed()
        downstream.receive(subscription: gate)
    }

    @inlinable func receive(_ input: Input) -> Subscribers.Demand {
        if gate.upstream.isClosed {
            observer.dropped(input)
            return .none
        }
        account.takeOne()
        observer.value(input)
        let more = downstream.receive(input)
        if more > .none, account.add(more) { observer.requested(more) }
        return more
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if !gate.upstream.close() { return }
        switch completion {
        case .finished: observer.completed(account.close())
        case .failure(let failure): observer.completed(account.close(failure))
        }
        downstream.receive(completion: completion)
    }
}
