import HeadgateEngine

/// A completed or cancelled run of a stream.
public struct TapRun: Sendable {
    /// The time since the subscription.
    public let duration: Duration

    /// The outstanding demand at the end.
    public let outstanding: Subscribers.Demand

    /// The failure, if there was one.
    public let failure: (any Error)?

    /// The number of delivered values.
    public let delivered: Int

    /// Creates the description of a run from its parts.
    public init(duration: Duration, outstanding: Subscribers.Demand, failure: (any Error)?, delivered: Int = 0) {
        self.duration = duration
        self.outstanding = outstanding
        self.failure = failure
        self.delivered = delivered
    }

    /// Closes the account of a run and describes the run.
    @usableFromInline init(closing account: RunAccount, _ failure: (any Error)? = nil) {
        self.init(
            duration: account.elapsed(), outstanding: account.close(), failure: failure, delivered: account.values)
    }
}

/// Observes everything that passes a place in a stream: an entry point for metrics, tracing and logging.
///
/// Each method does nothing by default. The methods are called on the threads of the stream: values and completions one
/// after the other, requests and cancellations at any time. An observer that several streams share observes all of
/// them.
public protocol TapObserver: SendableMetatype {
    /// Called when a subscriber has been connected.
    func subscribed()

    /// Called when values have been requested, with a demand greater than none.
    func requested(_ demand: Subscribers.Demand)

    /// Called before a value is forwarded.
    func value<Value>(_ value: Value)

    /// Called with a value that arrives after the completion or after `cancel()`, and is dropped.
    func dropped<Value>(_ value: Value)

    /// Called when the stream has completed, before downstream receives the completion.
    func completed(_ run: TapRun)

    /// Called when the subscriber has cancelled, before upstream is cancelled.
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
    /// Reports everything that passes to an observer.
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
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, and the observer is called
    ///   there: for values and the completion one at a time, for requests and `cancel()` possibly by other threads at
    ///   the same time.
    /// - **Complexity**: one call of the observer per value.
    ///
    /// - Parameters:
    ///   - observer: Receives everything that passes.
    ///   - clock: Measures the duration of a run; read twice per run.
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
    /// A publisher that reports everything that passes to an observer.
    public struct Tapped<Upstream: Publisher, Observer: TapObserver>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Receives everything that passes.
        public let observer: Observer

        /// Starts a measurement, and returns a closure that returns the time since.
        public let startClock: @Sendable () -> () -> Duration

        /// Creates the publisher that `tap(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, observer: Observer, startClock: @escaping @Sendable () -> () -> Duration
        ) {
            self.upstream = upstream
            self.observer = observer
            self.startClock = startClock
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let reporter = TapReporter<Output, Failure, Observer>(observer, RunAccount(startClock()))
            upstream.receive(subscriber: ObservingConduit(name: "Tap", reporter, subscriber))
        }
    }
}

extension Publishers.Tapped: Sendable where Upstream: Sendable, Observer: Sendable {}

/// Reports every event to a tap's observer, and keeps the account of the run.
@usableFromInline struct TapReporter<Value, Failure: Error, Observer: TapObserver>: StreamObserver {
    @usableFromInline let observer: Observer

    @usableFromInline let account: RunAccount

    @inlinable init(_ observer: Observer, _ account: RunAccount) {
        self.observer = observer
        self.account = account
    }

    @inlinable var notify: ((Signal) -> Void)? {
        { signal in
            switch signal {
            case .request(let demand): answered(demand)
            case .cancel: observer.cancelled(TapRun(closing: account))
            }
        }
    }

    @inlinable func subscribed() { observer.subscribed() }

    @inlinable @inline(__always) func received(_ value: Value) {
        account.takeOne()
        observer.value(value)
    }

    @inlinable func answered(_ demand: Subscribers.Demand) {
        if account.add(demand) { observer.requested(demand) }
    }

    @inlinable func completed(_ completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: observer.completed(TapRun(closing: account))
        case .failure(let failure): observer.completed(TapRun(closing: account, failure))
        }
    }

    @inlinable func dropped(_ value: Value) { observer.dropped(value) }
}
