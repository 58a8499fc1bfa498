public import Foundation
import HeadgateEngine

extension Timer {
    /// A publisher of the current date, at regular intervals, on a run loop, which starts with `connect()`.
    ///
    /// Drops a tick for each subscriber that has not requested one. To keep it, put `buffer` after it.
    ///
    /// ```
    /// connect()  [--------------
    /// self       ----d---d---d--
    /// ```
    ///
    /// ```swift
    /// import Foundation
    /// import HeadgateFoundation
    ///
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
    /// All subscribers share one timer. It fires until the connection is cancelled, or until both the connection and
    /// the publisher have been released. Connecting again starts it again.
    ///
    /// - **Demand**: a tick without demand is dropped for that subscriber.
    /// - **Completion**: never.
    /// - **Threads**: values are delivered on the thread of the run loop.
    /// - **Complexity**: constant time per tick and subscriber.
    ///
    /// - Parameters:
    ///   - interval: The seconds from the connection to the first tick, and between ticks. Zero and negative intervals
    ///     count as a tenth of a millisecond, as for every `Timer`.
    ///   - tolerance: How much later a tick may be, so that the system can combine timers. It is passed to Foundation's
    ///     timer, which ignores it on Linux.
    ///   - runLoop: The run loop on whose thread values are delivered.
    ///   - mode: The mode in which the run loop has to run.
    ///   - options: Unused; there are no options.
    public static func publish(
        every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> Timer.TimerPublisher {
        TimerPublisher(interval: interval, tolerance: tolerance, runLoop: runLoop, mode: mode, options: options)
    }

    // A timer may be added to a run loop from any thread; the rest is constant, or guarded by a lock.
    /// A publisher of the current date, at regular intervals, on a run loop.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
        /// The type of the published values.
        public typealias Output = Date

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The seconds between ticks.
        public let interval: TimeInterval

        /// How much later a tick may be.
        public let tolerance: TimeInterval?

        /// The run loop on whose thread values are delivered.
        public let runLoop: RunLoop

        /// The mode in which the run loop has to run.
        public let mode: RunLoop.Mode

        /// Unused; there are no options.
        public let options: RunLoop.SchedulerOptions?

        private let source = Source()
        private let connection = Guarded<Connection?>(nil)

        /// Creates the publisher that `publish(every:tolerance:on:in:options:)` returns.
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

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            source.hub.attach(subscriber)
        }

        /// Starts the timer, unless it is running.
        ///
        /// - Returns: A cancellable that stops the timer. Keep it, or the publisher: the timer stops when both have
        ///   been released.
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
    /// The hub of the subscribers, retained by everything that can make it tick.
    private final class Source {
        let hub = Hub<Date, Never>(.timer, latest: nil)

        deinit { hub.close() }
    }

    /// One run of the timer.
    private final class Connection: Cancellable {
        let source: Source
        let timer: Timer

        init(source: Source, interval: TimeInterval, tolerance: TimeInterval?) {
            self.source = source
            // The hub may receive values from any thread.
            nonisolated(unsafe) let hub = source.hub
            // With a fire date, because `Timer(timeInterval:repeats:block:)` fires at once on Linux.
            timer = Timer(fire: Date() + Swift.max(interval, 0), interval: interval, repeats: true) { _ in
                hub.send(Date())
            }
            timer.tolerance = tolerance ?? 0
        }

        deinit { cancel() }

        var isCancelled: Bool { !timer.isValid }

        func cancel() { timer.invalidate() }
    }
}
