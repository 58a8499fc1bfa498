import Dispatch
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// A publisher of the present moment, again and again, on a queue.
    ///
    /// ```
    /// timer     ---t---t---t|      times: .max(3)
    /// ```
    ///
    /// ```swift
    /// let subscription = Publishers.timer(interval: .milliseconds(100), times: .max(3))
    ///     .map { _ in "tick" }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // tick
    /// // tick
    /// // tick
    /// // finished
    /// ```
    ///
    /// Every subscriber has a timer of its own, which begins at the first demand and is gone when the stream ends, at
    /// `cancel()`, and when the subscription is let go of.
    ///
    /// - **Demand**: a tick that nobody asked for is dropped, and does not count towards `times`.
    /// - **Completion**: finishes right behind the last of `times` values; at once where that is `.none`.
    /// - **Complexity**: one atomic account and one drain a tick.
    ///
    /// - Parameters:
    ///   - queue: Where the values are delivered; a global queue if there is none.
    ///   - interval: The time from the first demand to the first tick, and from one tick to the next. `.never` makes a
    ///     timer that never ticks; a negative one traps.
    ///   - leeway: How much later a tick may come, for the good of other timers. A negative one traps.
    ///   - times: The number of values after which the stream finishes.
    public static func timer(
        queue: DispatchQueue? = nil, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0),
        times: Subscribers.Demand = .unlimited
    ) -> Publishers.DispatchTimer {
        DispatchTimer(
            configuration: DispatchTimerConfiguration(queue: queue, interval: interval, leeway: leeway, times: times))
    }
}

/// What makes one timer different from another.
public struct DispatchTimerConfiguration: Sendable {
    /// Where the values are delivered; a global queue if there is none.
    public let queue: DispatchQueue?

    /// The time from the first demand to the first tick, and from one tick to the next.
    public let interval: DispatchTimeInterval

    /// How much later a tick may come, for the good of other timers.
    public let leeway: DispatchTimeInterval

    /// The number of values after which the stream finishes.
    public let times: Subscribers.Demand

    /// Makes a configuration.
    ///
    /// A negative interval or leeway is a programmer's error and traps.
    public init(
        queue: DispatchQueue? = nil, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0),
        times: Subscribers.Demand = .unlimited
    ) {
        for (name, length) in [("interval", interval), ("leeway", leeway)]
        where DispatchQueue.SchedulerTimeType.Stride(length) < 0 {
            programmerError(
                rule: "The \(name) of a timer can't be negative.", found: "\(length)",
                remedy: "Use zero for a timer that ticks as fast as its queue allows, .never for one that does not.")
        }
        self.queue = queue
        self.interval = interval
        self.leeway = leeway
        self.times = times
    }
}

extension Publishers {
    /// A publisher of the present moment, again and again, on a queue.
    public struct DispatchTimer: Publisher, Sendable {
        /// Moments.
        public typealias Output = DispatchTime

        /// Nothing goes wrong with time.
        public typealias Failure = Never

        /// Starts to tick and answers how to stop.
        package typealias Ticking =
            @Sendable (DispatchTimerConfiguration, @escaping (DispatchTime) -> Void) -> () -> Void

        /// How often, how many times and where.
        public let configuration: DispatchTimerConfiguration

        let ticking: Ticking

        /// Makes the publisher that `timer(queue:interval:leeway:times:)` returns.
        public init(configuration: DispatchTimerConfiguration) {
            self.init(configuration: configuration, ticking: Self.tickByDispatch)
        }

        package init(configuration: DispatchTimerConfiguration, ticking: @escaping Ticking) {
            self.configuration = configuration
            self.ticking = ticking
        }

        /// Connects a subscriber to a timer of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            if configuration.times == .none {
                subscriber.complete(with: .finished)
                return
            }
            let conduit = PushConduit<DispatchTime, Never>(
                name: "DispatchTimer", limit: configuration.times, to: subscriber
            ) { [configuration, ticking] conduit in
                ticking(configuration) { [weak conduit] moment in conduit?.push(moment) }
            }
            subscriber.receive(subscription: conduit)
        }

        private static let tickByDispatch: Ticking = { configuration, tick in
            let queue = configuration.queue ?? .global()
            let interval = DispatchQueue.SchedulerTimeType.Stride(configuration.interval)
            let timer = queue.schedule(
                after: queue.now.advanced(by: interval), interval: interval, tolerance: .init(configuration.leeway),
                serially { tick(.now()) })
            return timer.cancel
        }
    }
}
