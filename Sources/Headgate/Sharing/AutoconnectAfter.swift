import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension ConnectablePublisher {
    /// Connects by itself when there are so many subscribers, and disconnects when there have been none for a while.
    ///
    /// ```
    /// first     [---------!
    /// second        [-----------!
    /// upstream      [---------------]
    /// ```
    ///
    /// ```swift
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
    /// Once it is connected, one subscriber is enough to keep it so. A subscriber that comes in the grace period finds the
    /// connection as it is. There is never more than one connection.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. A subscriber leaves by cancelling, not by the end of the stream: who comes after
    ///   the end does not begin it anew.
    /// - **Complexity**: nothing is added to the path of a value; one alarm each time that the last subscriber leaves.
    ///
    /// - Parameters:
    ///   - subscribers: How many subscribers it takes to connect: at least one, or it traps.
    ///   - grace: How long the connection stays without subscribers.
    ///   - scheduler: What tells the time, and where the connection is ended after a grace.
    ///   - options: Passed to the scheduler.
    public func autoconnect<Context: Scheduler>(
        after subscribers: Int = 1, grace: Context.SchedulerTimeType.Stride = .seconds(0), scheduler: Context,
        options: Context.SchedulerOptions? = nil
    ) -> Publishers.AutoconnectAfter<Self, Context> {
        Publishers.AutoconnectAfter(
            upstream: self, subscribers: subscribers, grace: grace, scheduler: scheduler, options: options)
    }
}

extension Publishers {
    /// A publisher that is connected when it has enough subscribers, and for a while after the last has left.
    public final class AutoconnectAfter<Upstream: ConnectablePublisher, Context: Scheduler>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        private struct Attendance {
            var subscribers = 0

            /// Whether there is a connection, or one being made.
            var isConnected = false

            /// How often the last subscriber has left: an alarm knows by it whether somebody has come since.
            var departures = 0
        }

        /// The publisher that is connected and disconnected.
        public let upstream: Upstream

        /// How many subscribers it takes to connect.
        public let subscribers: Int

        /// How long the connection stays without subscribers.
        public let grace: Context.SchedulerTimeType.Stride

        /// What tells the time.
        public let scheduler: Context

        /// What is passed to the scheduler.
        public let options: Context.SchedulerOptions?

        private let attendance = Guarded(Attendance())

        // Sees one subscriber, for all that there are.
        private let connection: ConnectionCount

        /// Makes the publisher that `autoconnect(after:grace:scheduler:)` returns.
        public init(
            upstream: Upstream, subscribers: Int, grace: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            if subscribers < 1 {
                programmerError(
                    rule: "It takes one subscriber at the least to connect.",
                    found: "autoconnect(after: \(subscribers))", remedy: "Pass one or more, or call connect().")
            }
            self.upstream = upstream
            self.subscribers = subscribers
            self.grace = grace
            self.scheduler = scheduler
            self.options = options
            connection = ConnectionCount { upstream.connect() }
        }

        /// Connects a subscriber and, if there are enough, upstream.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let connects = attendance.withLock { [subscribers] in
                $0.subscribers += 1
                if $0.isConnected || $0.subscribers < subscribers { return false }
                $0.isConnected = true
                return true
            }
            let mustConnect = connects && connection.arrive()
            upstream.receive(subscriber: CountedSubscription.counting(subscriber, keeping: self) { self.leave() })
            if mustConnect { connection.connect() }
        }

        private func leave() {
            let departure: Int? = attendance.withLock {
                $0.subscribers -= 1
                if $0.subscribers > 0 || !$0.isConnected { return nil }
                $0.departures += 1
                return $0.departures
            }
            guard let departure else { return }
            if grace <= .seconds(0) { return disconnect(after: departure) }
            // The alarm keeps this alive: nobody else may be left who could end the connection.
            scheduler.schedule(
                after: scheduler.now.advanced(by: grace.bounded), tolerance: scheduler.minimumTolerance,
                options: options, serially { self.disconnect(after: departure) })
        }

        /// Ends the connection, unless somebody has come since the last one left.
        private func disconnect(after departure: Int) {
            let ends = attendance.withLock {
                if !$0.isConnected || $0.subscribers > 0 || $0.departures != departure { return false }
                $0.isConnected = false
                return true
            }
            if ends { connection.leave() }
        }
    }
}

// How many there are is under a lock; the rest is constant.
extension Publishers.AutoconnectAfter: @unchecked Sendable where Upstream: Sendable {}
