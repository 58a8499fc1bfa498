import HeadgateEngine

extension ConnectablePublisher {
    /// Connects when there are enough subscribers, and disconnects when there have been none for a grace period.
    ///
    /// ```
    /// first     [---------!
    /// second        [-----------!
    /// upstream      [---------------]
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let source = (1...2).publisher.makeConnectable().autoconnect(after: 2, scheduler: scheduler)
    /// let first = source.sink { print("first", $0) }
    /// let second = source.sink { print("second", $0) }
    /// // first 1
    /// // second 1
    /// // first 2
    /// // second 2
    /// ```
    ///
    /// Once connected, one subscriber is enough to keep the connection. A subscriber that arrives within the grace
    /// period joins the existing connection. There is never more than one connection.
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded. Only cancelling counts as leaving, not completion: a subscriber that arrives after
    ///   the completion does not connect again.
    /// - **Threads**: everything is forwarded on the thread on which it arrives. Upstream is connected on the thread of
    ///   the subscriber that makes the number complete, and disconnected on the scheduler; without a grace period on
    ///   the thread of the last to cancel.
    /// - **Complexity**: no cost per value; one job of the scheduler each time the last subscriber cancels.
    ///
    /// - Parameters:
    ///   - subscribers: How many subscribers are needed to connect: at least one; traps otherwise.
    ///   - grace: How long the connection is kept without subscribers.
    ///   - scheduler: The scheduler that measures time, and on which the connection ends after the grace period.
    ///   - options: Options for every job of the scheduler.
    public func autoconnect<Context: Scheduler>(
        after subscribers: Int = 1, grace: Context.SchedulerTimeType.Stride = .seconds(0), scheduler: Context,
        options: Context.SchedulerOptions? = nil
    ) -> Publishers.AutoconnectAfter<Self, Context> {
        Publishers.AutoconnectAfter(
            upstream: self, subscribers: subscribers, grace: grace, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that connects when it has enough subscribers, and disconnects a grace period after the last has
    /// left.
    public final class AutoconnectAfter<Upstream: ConnectablePublisher, Context: Scheduler>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        @usableFromInline struct State {
            @usableFromInline var subscribers = 0

            /// Whether a connection exists or is being made.
            @usableFromInline var isConnected = false

            /// How often the last subscriber has left: tells a scheduled job whether a subscriber has arrived since.
            @usableFromInline var departures = 0
        }

        /// The upstream publisher.
        public let upstream: Upstream

        /// How many subscribers are needed to connect.
        public let subscribers: Int

        /// How long the connection is kept without subscribers.
        public let grace: Context.SchedulerTimeType.Stride

        /// The scheduler that measures time.
        public let scheduler: Context

        /// Options for every job of the scheduler.
        public let options: Context.SchedulerOptions?

        @usableFromInline let state = Guarded(State())

        // Counts one subscriber, on behalf of all of them.
        @usableFromInline let connection = ConnectionCount()

        /// Creates the publisher that `autoconnect(after:grace:scheduler:)` returns.
        public init(
            upstream: Upstream, subscribers: Int, grace: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            require(
                subscribers > 0, rule: "autoconnect(after:) must wait for at least one subscriber.",
                found: "autoconnect(after: \(subscribers))", remedy: "Pass one or more, or call connect() yourself.")
            self.upstream = upstream
            self.subscribers = subscribers
            self.grace = grace
            self.scheduler = scheduler
            self.options = options
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let connects = state.withLock { [subscribers] in
                $0.subscribers += 1
                if $0.isConnected || $0.subscribers < subscribers { return false }
                $0.isConnected = true
                return true
            }
            let mustConnect = connects && connection.arrive()
            upstream.receive(subscriber: ForwardingSubscriber(subscriber, keeping: self) { _ in self.leave() })
            if mustConnect { connection.connect(upstream) }
        }

        @usableFromInline func leave() {
            let departure: Int? = state.withLock {
                $0.subscribers -= 1
                if $0.subscribers > 0 || !$0.isConnected { return nil }
                $0.departures += 1
                return $0.departures
            }
            guard let departure else { return }
            if grace <= .seconds(0) { return disconnect(after: departure) }
            // The job retains this object: no other reference that could end the connection may be left.
            scheduler.schedule(
                after: scheduler.now.advanced(by: grace.bounded), tolerance: scheduler.minimumTolerance,
                options: options, serially { self.disconnect(after: departure) })
        }

        /// Ends the connection, unless a subscriber has arrived since the last one left.
        private func disconnect(after departure: Int) {
            let ends = state.withLock {
                if !$0.isConnected || $0.subscribers > 0 || $0.departures != departure { return false }
                $0.isConnected = false
                return true
            }
            if ends { connection.leave() }
        }
    }
}

// A lock guards the state; the rest is constant.
extension Publishers.AutoconnectAfter: @unchecked Sendable where Upstream: Sendable {}
