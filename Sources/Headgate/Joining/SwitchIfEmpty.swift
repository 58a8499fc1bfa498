import HeadgateEngine

extension Publisher {
    /// Continues with another publisher if this one finishes without a value.
    ///
    /// ```
    /// self      ----|
    /// other         8---9--|
    ///           ----8---9--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Empty<String, Never>()
    ///     .switchIfEmpty(to: ["a", "b"].publisher)
    ///     .sink { print($0) }
    /// // a
    /// // b
    /// ```
    ///
    /// - **Demand**: forwarded to the active publisher.
    /// - **Completion**: forwarded; if this publisher is empty, that of the other one.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which the publisher that sends them delivers.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func switchIfEmpty<Other: Publisher<Output, Failure>>(
        to other: Other
    ) -> Publishers.SwitchIfEmpty<Self, Other> {
        Publishers.SwitchIfEmpty(upstream: self, other: other)
    }

    /// Publishes a default value if this publisher finishes without a value.
    ///
    /// It is `replaceEmpty(with:)` under another common name.
    ///
    /// ```
    /// self            ----|
    /// defaultIfEmpty  0
    ///                 ----(0|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = Empty<String, Never>()
    ///     .defaultIfEmpty("none")
    ///     .sink { print($0) }
    /// // none
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `replaceEmpty(with:)`.
    ///
    /// - Parameter output: The default value.
    @inlinable public func defaultIfEmpty(_ output: Output) -> Publishers.ReplaceEmpty<Self> {
        replaceEmpty(with: output)
    }
}

extension Publishers {
    /// A publisher that continues with another publisher if upstream is empty.
    public struct SwitchIfEmpty<Upstream: Publisher, Other: Publisher<Upstream.Output, Upstream.Failure>>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The publisher to continue with.
        public let other: Other

        /// Creates the publisher that `switchIfEmpty(to:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (upstream, other) = (upstream, other)
            let conduit = SuccessionConduit<Output, Failure>(name: "SwitchIfEmpty", to: subscriber)
            conduit.proceed(to: upstream) { conduit, completion in
                guard case .finished = completion, conduit.served == 0 else { return conduit.end(completion) }
                conduit.proceed(toLast: other)
            }
        }
    }
}

extension Publishers.SwitchIfEmpty: Sendable where Upstream: Sendable, Other: Sendable {}

extension Publishers.SwitchIfEmpty: Equatable where Upstream: Equatable, Other: Equatable {}
