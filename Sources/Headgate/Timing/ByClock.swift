import HeadgateEngine

// Combine's timed operators with the time of a clock.

extension Publisher {
    /// Publishes a value once no other has followed it for a given time on a clock.
    ///
    /// Drops a value if another one follows within that time, and one that falls due while nothing is requested; see
    /// `debounce(for:scheduler:options:)` for operators that keep them.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let time = TestScheduler()
    /// let keys = PassthroughSubject<String, Never>()
    /// let cancellable = keys.debounce(for: .seconds(1), clock: TestClock(time)).sink { print($0) }
    /// keys.send("s")
    /// keys.send("sea")
    /// time.advance(by: .seconds(1))
    /// // sea
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `debounce(for:scheduler:options:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - dueTime: How long to wait for another value before a value is published.
    ///   - clock: The clock that measures it.
    @preconcurrency @inlinable public func debounce(
        for dueTime: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.Debounce<Self, ClockScheduler> where Output: Sendable {
        debounce(for: .init(dueTime), scheduler: ClockScheduler(clock))
    }

    /// Delivers every value and the completion a given time later, on a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `delay(for:tolerance:scheduler:options:)`
    /// on a ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: How much later.
    ///   - tolerance: How much later than that it may be.
    ///   - clock: The clock that measures it.
    @preconcurrency @inlinable public func delay(
        for interval: Duration, tolerance: Duration = .zero, clock: any Clock<Duration> = ContinuousClock()
    ) -> Publishers.Delay<Self, ClockScheduler> where Output: Sendable {
        delay(for: .init(interval), tolerance: .init(tolerance), scheduler: ClockScheduler(clock))
    }

    /// Publishes the first or the most recent value of each interval on a clock.
    ///
    /// Drops the other values; see `throttle(for:scheduler:latest:)` for operators that keep them.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `throttle(for:scheduler:latest:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameters:
    ///   - interval: The time between two values.
    ///   - clock: The clock that measures it.
    ///   - latest: Whether the most recent value of an interval is published, or the first.
    @preconcurrency @inlinable public func throttle(
        for interval: Duration, clock: any Clock<Duration> = ContinuousClock(), latest: Bool
    ) -> Publishers.Throttle<Self, ClockScheduler> where Output: Sendable {
        throttle(for: .init(interval), scheduler: ClockScheduler(clock), latest: latest)
    }

    /// Completes the stream if no value arrives in time, on a clock.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// struct Silent: Error {}
    /// let time = TestScheduler()
    /// let answers = PassthroughSubject<Int, Silent>()
    /// let slow = TestSubscriber<Int, Silent>(.first(1))
    /// answers
    ///     .timeout(.seconds(5), clock: TestClock(time), counting: .whileRequested) { Silent() }
    ///     .subscribe(slow)
    /// answers.send(1)
    /// time.advance(by: .seconds(60))
    /// print(slow.completion == nil)
    /// slow.request(.max(1))
    /// time.advance(by: .seconds(5))
    /// print(slow.completion == nil)
    /// // true
    /// // false
    /// ```
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: forwarded. If no value arrives in time, upstream is cancelled and the stream fails with
    ///   `customError`, or finishes if there is none.
    /// - **Threads**: upstream's, unlike those of `timeout(_:scheduler:options:customError:)`: a value is delivered on the
    ///   thread on which upstream delivers it. If none arrives in time, the stream ends where the clock's timers run.
    /// - **Complexity**: that of `timeout(first:between:total:counting:scheduler:options:failure:)`.
    ///
    /// - Parameters:
    ///   - interval: How long the first value, and each after it, may take.
    ///   - clock: The clock that measures it.
    ///   - counting: Whether all time counts, or only that in which values are requested.
    ///   - customError: Creates the failure.
    @preconcurrency @inlinable public func timeout(
        _ interval: Duration, clock: any Clock<Duration> = ContinuousClock(), counting: CountedTime = .always,
        customError: (@Sendable () -> Failure)? = nil
    ) -> Publishers.TimeLimits<Self, ClockScheduler> {
        Publishers.TimeLimits(
            upstream: self, first: .init(interval), between: .init(interval), total: nil, counting: counting,
            scheduler: ClockScheduler(clock), options: nil,
            completion: { _ in customError.map { .failure($0()) } ?? .finished })
    }

    /// Publishes the time between values, on a clock.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `measureInterval(using:options:)` on a
    /// ``ClockScheduler``.
    ///
    /// - Parameter clock: The clock that measures it.
    @inlinable public func measureInterval(
        using clock: any Clock<Duration>
    ) -> Publishers.Map<Publishers.MeasureInterval<Self, ClockScheduler>, Duration> {
        measureInterval(using: ClockScheduler(clock)).map { .nanoseconds($0.magnitude) }
    }
}
