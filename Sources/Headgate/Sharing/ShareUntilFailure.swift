import HeadgateEngine

extension Publisher {
    /// Shares one subscription to this publisher among all subscribers, and subscribes anew for those that come after a
    /// failure.
    ///
    /// Drops a value for each subscriber that has not requested one, as `share()` does.
    ///
    /// ```
    /// self               --1--x
    /// again                      --2--|
    /// shareUntilFailure
    /// first              --1--x
    /// later                      --2--|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import Synchronization
    ///
    /// struct Lost: Error {}
    /// let attempts = Atomic(0)
    /// let prices = Deferred {
    ///     attempts.add(1, ordering: .relaxed).newValue < 3
    ///         ? Fail<Int, Lost>(error: Lost()).eraseToAnyPublisher()
    ///         : Just(7).setFailureType(to: Lost.self).eraseToAnyPublisher()
    /// }
    /// let shared = prices.shareUntilFailure()
    /// let reader = shared.retry(5).sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 7
    /// // finished
    /// ```
    ///
    /// `share()` delivers a failure to all later subscribers, so a `retry` after it fails each time. After this operator,
    /// those that retry share the next subscription to upstream.
    ///
    /// - **Demand** and **Threads**: those of `share()`.
    /// - **Completion**: forwarded. To later subscribers too, if upstream has finished.
    /// - **Complexity**: that of `share()`; a subscription to upstream per failure.
    @inlinable public func shareUntilFailure() -> Publishers.ShareUntilFailure<Self> {
        Publishers.ShareUntilFailure(upstream: self)
    }
}

extension Publishers {
    /// A publisher that shares one subscription to upstream among its subscribers, and makes another after a failure.
    public final class ShareUntilFailure<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// A subscription to upstream.
        @usableFromInline final class Run {
            // Set once, before the first subscriber joins.
            @exclusivity(unchecked) @usableFromInline var shared: Share<HandleEvents<Upstream>>?

            @inlinable init() {}
        }

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let latest = Guarded<Run?>(nil)

        /// Creates the publisher that `shareUntilFailure()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            current.shared?.receive(subscriber: subscriber)
        }

        /// The run that has not failed.
        @inlinable var current: Run {
            if let run = latest.withLock({ $0 }) { return run }
            let new = makeRun()
            return latest.withLock { latest in
                if let latest { return latest }
                latest = new
                return new
            }
        }

        @inlinable func makeRun() -> Run {
            let run = Run()
            let observed = upstream.handleEvents(
                receiveCompletion: serially { [weak self, weak run] completion in
                    if case .failure = completion { self?.forget(run) }
                })
            run.shared = Share(upstream: observed)
            return run
        }

        /// Has the next subscriber begin another run.
        // The run is released outside the lock.
        @inlinable func forget(_ run: Run?) {
            let old = latest.withLock { $0 === run ? $0.take() : nil }
            withExtendedLifetime(old) {}
        }
    }
}

// A lock guards the current run; the rest is constant.
extension Publishers.ShareUntilFailure: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}
