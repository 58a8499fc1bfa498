import HeadgateEngine

extension Publisher {
    /// Pauses and resumes a stream, as another publisher says.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes during a pause, except for one value:
    /// put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self      1--2--3-----4--|
    /// isPaused  ----t----f------
    /// paused    1--2-----3--4--|
    /// ```
    ///
    /// ```swift
    /// let isPaused = CurrentValueSubject<Bool, Never>(true)
    /// let cancellable = (1...3).publisher.paused(by: isPaused).sink { print($0) }
    /// print("resumes")
    /// isPaused.value = false
    /// // resumes
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// The stream is paused after `true` and goes on after `false`, and when `isPaused` finishes. Before its first value,
    /// it is not paused. A pause that another thread begins takes effect after the value that is being delivered.
    ///
    /// - **Demand**: requests one value at a time, and nothing during a pause. A value that arrives during one, because
    ///   it was requested before, waits for its end. Unlimited values are requested from `isPaused`, at once.
    /// - **Completion**: forwarded, after a value that waits.
    /// - **Threads**: a value is delivered on the thread on which upstream delivers it; one that has waited, and what an
    ///   upstream that answers at once delivers after a pause, on the thread that ends it.
    /// - **Complexity**: constant time per value, and one request upstream.
    ///
    /// - Parameter isPaused: Publishes `true` to pause the stream, and `false` to resume it. A `CurrentValueSubject` is
    ///   a switch for any number of streams.
    @inlinable public func paused<Switch: Publisher<Bool, Never>>(
        by isPaused: Switch
    ) -> Publishers.Paused<Self, Switch> {
        Publishers.Paused(upstream: self, isPaused: isPaused)
    }
}

extension Publishers {
    /// A publisher of upstream's values that pauses as another publisher says.
    public struct Paused<Upstream: Publisher, Switch: Publisher<Bool, Never>>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Publishes `true` to pause the stream, and `false` to resume it.
        public let isPaused: Switch

        /// Creates the publisher that `paused(by:)` returns.
        @inlinable public init(upstream: Upstream, isPaused: Switch) {
            self.upstream = upstream
            self.isPaused = isPaused
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            PausingConduit.connect(upstream, pauser: isPaused, to: subscriber)
        }
    }
}

extension Publishers.Paused: Sendable where Upstream: Sendable, Switch: Sendable {}

extension Publishers.Paused: Equatable where Upstream: Equatable, Switch: Equatable {}
