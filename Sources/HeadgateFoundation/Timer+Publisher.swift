public import Foundation
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import Synchronization

extension Timer {
    /// A publisher of the present date, again and again, on a run loop, beginning when told to with `connect()`.
    ///
    /// ```
    /// connect()  !
    /// self       ---d---d---d---
    /// ```
    ///
    /// ```swift
    /// let subscription = Timer.publish(every: 0.1, on: .main, in: .common)
    ///     .autoconnect()
    ///     .prefix(2)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { _ in print("tick") })
    /// RunLoop.main.run(until: Date() + 1)
    /// // tick
    /// // tick
    /// // finished
    /// ```
    ///
    /// There is one timer for all subscribers. It ticks until the connection is cancelled, or until both the connection
    /// and the publisher have been let go of. Connecting again begins anew.
    ///
    /// - **Demand**: a tick that a subscriber has not asked for is dropped for this subscriber.
    /// - **Completion**: never.
    /// - **Complexity**: one drain a tick, one atomic account a subscriber.
    ///
    /// - Parameters:
    ///   - interval: Seconds from the connection to the first tick, and from one tick to the next. Zero and less count
    ///     as a tenth of a millisecond, as for every `Timer`.
    ///   - tolerance: How much later a tick may come, for the good of other timers. It is handed to Foundation's timer,
    ///     which makes no use of it on Linux.
    ///   - runLoop: The run loop on whose thread values are delivered.
    ///   - mode: The mode in which the run loop has to be run.
    ///   - options: There is nothing to choose.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> Timer.TimerPublisher {
        TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }

    // A run loop may be told of a timer from any thread; the rest is constant, or behind the lock.
    /// A publisher of the present date, again and again, on a run loop.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
        /// Dates.
        public typealias Output = Date

        /// Nothing goes wrong with time.
        public typealias Failure = Never

        /// Seconds from one tick to the next.
        public let interval: TimeInterval

        /// How much later a tick may come.
        public let tolerance: TimeInterval?

        /// The run loop on whose thread values are delivered.
        public let runLoop: RunLoop

        /// The mode in which the run loop has to be run.
        public let mode: RunLoop.Mode

        /// There is nothing to choose.
        public let options: RunLoop.SchedulerOptions?

        private let source = Source()
        private let connection = Guarded<Connection?>(nil)

        /// Makes the publisher that `publish(every:tolerance:on:in:options:)` returns.
        public init(
            interval: TimeInterval, tolerance: TimeInterval? = nil, runLoop: RunLoop, mode: RunLoop.Mode,
            options: RunLoop.SchedulerOptions? = nil
        ) {
            self.interval = interval
            self.tolerance = tolerance
            self.runLoop = runLoop
            self.mode = mode
            self.options = options
        }

        /// Connects a subscriber, which hears the ticks of the time after that.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            source.hub.attach(subscriber)
        }

        /// Starts the timer, unless it is running.
        ///
        /// - Returns: What stops it. Keep it, or the publisher: the timer stops when both are gone.
        public func connect() -> any Cancellable {
            let new = Connection(source: source, interval: interval, tolerance: tolerance)
            let (current, _) = connection.withLock { connection in
                let old = connection
                if let old, !old.isCancelled { return (old, nil as Connection?) }
                connection = new
                return (new, old)
            }
            if current === new { runLoop.add(new.timer, forMode: mode) }
            return current
        }
    }
}

extension Timer.TimerPublisher {
    /// What the subscribers are attached to, kept by whoever can make it tick.
    private final class Source {
        let hub = Hub<Date, Never>(name: "Timer", latest: nil)

        deinit { hub.close() }
    }

    /// One run of the timer.
    private final class Connection: Cancellable {
        let source: Source
        let timer: Timer
        private let hasBeenCancelled = Atomic(false)

        init(source: Source, interval: TimeInterval, tolerance: TimeInterval?) {
            self.source = source
            // The hub may be sent to from any thread.
            nonisolated(unsafe) let hub = source.hub
            // With its date, for on Linux `Timer(timeInterval:repeats:block:)` goes off at once.
            timer = Timer(fire: Date() + Swift.max(interval, 0), interval: interval, repeats: true) { _ in
                hub.send(Date())
            }
            timer.tolerance = tolerance ?? 0
        }

        deinit { cancel() }

        var isCancelled: Bool { hasBeenCancelled.load(ordering: .acquiring) }

        func cancel() {
            if !hasBeenCancelled.exchange(true, ordering: .acquiringAndReleasing) { timer.invalidate() }
        }
    }
}
