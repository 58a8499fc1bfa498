import HeadgateCore

extension TestScheduler {
    /// Subscribes to a publisher, and advances the clock until nothing is pending.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let source = scheduler.hot("1-2|")
    /// print(scheduler.start { source.delay(for: 2, scheduler: scheduler) }.marbles)
    /// // --1-2|
    /// ```
    ///
    /// All times are counted from the current one. A stream without an end, such as a timer, needs a time at which it is
    /// cancelled: without one it traps.
    ///
    /// - Parameters:
    ///   - created: When the publisher is created.
    ///   - subscribed: When it is subscribed to: not before it is created.
    ///   - disposed: When the subscriber cancels; `nil` if it doesn't.
    ///   - demand: The subscriber's demand.
    ///   - make: Creates the publisher.
    /// - Returns: The subscriber.
    public func start<P: Publisher>(
        created: TestTime.Stride = .zero, subscribed: TestTime.Stride = .zero, disposed: TestTime.Stride? = nil,
        demand: DemandScript = .unlimited, _ make: () -> P
    ) -> TestSubscriber<P.Output, P.Failure> {
        if subscribed < created || (disposed ?? subscribed) < subscribed {
            programmerError(
                rule: "A publisher is created, subscribed to and cancelled in this order.",
                found: "created at \(created), subscribed at \(subscribed)"
                    + (disposed.map { ", disposed at \($0)" } ?? ""), remedy: "Pass times that don't decrease.")
        }
        let beginning = now
        let subscriber = TestSubscriber<P.Output, P.Failure>(demand, clock: self)
        // What is due at the current time comes after the subscription, unless that is later.
        if created > .zero { advance(to: beginning.advanced(by: created)) }
        let publisher = make()
        if subscribed > created { advance(to: beginning.advanced(by: subscribed)) }
        publisher.subscribe(subscriber)
        if let disposed {
            advance(to: beginning.advanced(by: disposed))
            subscriber.cancel()
        }
        if !runUntilIdle() {
            programmerError(
                rule: "A stream that is started ends, or is cancelled.", found: "work that is always pending",
                remedy: "Pass disposed:, the time at which the subscriber cancels.")
        }
        return subscriber
    }
}

extension TestSubscriber {
    /// Waits for the completion, which other threads deliver.
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let subscriber = (1...3).publisher.receive(on: DispatchQueue(label: "work")).record()
    /// print(subscriber.awaitCompletion().marbles)
    /// // (123|)
    /// ```
    ///
    /// - Parameter timeout: The maximum number of milliseconds to wait. Compare ``marbles``, which end in the completion:
    ///   without it, the subscriber is returned as well.
    /// - Returns: The subscriber.
    @discardableResult public func awaitCompletion(timeout: Int = 2000) -> TestSubscriber {
        waitUntil(timeout: timeout) { completion != nil }
        return self
    }
}

extension Publisher {
    /// Subscribes a test subscriber and returns it.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let subject = PassthroughSubject<String, Never>()
    /// let subscriber = subject.record()
    /// subject.send("foo")
    /// print(subscriber.values)
    /// // ["foo"]
    /// ```
    ///
    /// - Parameters:
    ///   - demand: The subscriber's demand.
    ///   - clock: The scheduler whose time is recorded.
    public func record(
        _ demand: DemandScript = .unlimited, clock: TestScheduler? = nil
    ) -> TestSubscriber<Output, Failure> {
        let subscriber = TestSubscriber<Output, Failure>(demand, clock: clock)
        subscribe(subscriber)
        return subscriber
    }
}
