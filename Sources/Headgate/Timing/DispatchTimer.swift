import Dispatch
import HeadgateEngine

extension Publishers {
    /// A publisher of the current time, at regular intervals, on a queue.
    ///
    /// Drops a tick for which there is no demand. To keep it, put `buffer` after it.
    ///
    /// ```
    /// timer     ----t---t---t|      times: .max(3)
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// let subscription = Publishers.timer(interval: .milliseconds(100), times: .max(3))
    ///     .map { _ in "tick" }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // tick
    /// // tick
    /// // tick
    /// // finished
    /// ```
    ///
    /// Each subscriber has its own timer, which starts at the first demand and is released on completion, at
    /// `cancel()`, and when the subscription is released.
    ///
    /// - **Demand**: a tick without demand is dropped, and does not count towards `times`.
    /// - **Completion**: finishes right after the last of `times` values; at once if `times` is `.none`.
    /// - **Threads**: values and the completion are delivered on the queue.
    /// - **Complexity**: constant time per tick.
    ///
    /// - Parameters:
    ///   - queue: Where values are delivered; a global queue by default.
    ///   - interval: The time from the first demand to the first tick, and between ticks. `.never` makes a timer that
    ///     never fires; a negative interval traps.
    ///   - leeway: How much later a tick may be, so that the system can combine timers. A negative leeway traps.
    ///   - times: The number of values after which the stream finishes.
    public static func timer(
        queue: DispatchQueue? = nil, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0),
        times: Subscribers.Demand = .unlimited
    ) -> Publishers.DispatchTimer {
        DispatchTimer(
            configuration: DispatchTimerConfiguration(queue: queue, interval: interval, leeway: leeway, times: times))
    }
}

/// The configuration of a timer.
public struct DispatchTimerConfiguration: Sendable {
    /// Where values are delivered; a global queue by default.
    public let queue: DispatchQueue?

    /// The time from the first demand to the first tick, and between ticks.
    public let interval: DispatchTimeInterval

    /// How much later a tick may be, so that the system can combine timers.
    public let leeway: DispatchTimeInterval

    /// The number of values after which the stream finishes.
    public let times: Subscribers.Demand

    /// Creates a configuration.
    ///
    /// A negative interval or leeway traps.
    public init(
        queue: DispatchQueue? = nil, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0),
        times: Subscribers.Demand = .unlimited
    ) {
        for (name, length) in [("interval", interval), ("leeway", leeway)]
        where DispatchQueue.SchedulerTimeType.Stride(length) < 0 {
            programmerError(
                rule: "The \(name) of a timer can't be negative.", found: "\(length)",
                remedy:
                    "Use zero for a timer that fires as fast as its queue allows, or .never for one that never fires.")
        }
        self.queue = queue
        self.interval = interval
        self.leeway = leeway
        self.times = times
    }
}

extension Publishers {
    /// A publisher of the current time, at regular intervals, on a queue.
    public struct DispatchTimer: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = DispatchTime

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// Starts ticking, and returns how to stop.
        ///
        /// It must not retain the conduit.
        @usableFromInline package typealias Ticking =
            @Sendable (DispatchTimerConfiguration, PushConduit<DispatchTime, Never>) -> () -> Void

        /// The interval, the number of ticks and the queue.
        public let configuration: DispatchTimerConfiguration

        @usableFromInline let ticking: Ticking

        /// Creates the publisher that `timer(queue:interval:leeway:times:)` returns.
        public init(configuration: DispatchTimerConfiguration) {
            self.init(configuration: configuration, ticking: Self.tickOnQueue)
        }

        package init(configuration: DispatchTimerConfiguration, ticking: @escaping Ticking) {
            self.configuration = configuration
            self.ticking = ticking
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            if configuration.times == .none { return subscriber.complete(with: .finished) }
            let conduit = PushConduit<DispatchTime, Never>(
                name: "DispatchTimer", limit: configuration.times, to: subscriber
            ) { [configuration, ticking] in ticking(configuration, $0) }
            conduit.send(to: subscriber)
        }

        private static let tickOnQueue: Ticking = { configuration, conduit in
            let queue = configuration.queue ?? .global()
            let interval = DispatchQueue.SchedulerTimeType.Stride(configuration.interval)
            let alarm = queue.setAlarm(
                at: queue.now.advanced(by: interval), repeating: interval, tolerance: .init(configuration.leeway),
                options: nil
            ) { [weak conduit] in conduit?.push(.now()) }
            return { alarm.cancel() }
        }
    }
}
