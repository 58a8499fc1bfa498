import HeadgateEngine

extension Publisher {
    /// Publishes the last value when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---|
    /// last
    ///           ------------(3|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .last()
    ///     .sink { print($0) }
    /// // 3
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: finishes after the value, or at once if upstream finishes without one. A failure is
    ///   forwarded.
    /// - **Threads**: the value is delivered on the thread on which upstream completes, or on that of the first
    ///   request, whichever comes later.
    /// - **Complexity**: constant time per value.
    @inlinable public func last() -> Publishers.Last<Self> {
        Publishers.Last(upstream: self)
    }

    /// Publishes the last value that satisfies a predicate, when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---4---5---|
    /// last      even
    ///           --------------------(4|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...5).publisher
    ///     .last { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // 4
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: finishes after the value, or at once if upstream finishes without one. A failure is
    ///   forwarded.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func last(where predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.LastWhere<Self>
    {
        Publishers.LastWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the last value that satisfies a throwing predicate, when upstream finishes; fails if the predicate
    /// throws.
    ///
    /// ```
    /// self      1---2---0---4---|
    /// tryLast   even, but no zero
    ///           --------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryLast { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: finishes after the value, or at once if upstream finishes without one. A failure is
    ///   forwarded. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryLast(where predicate: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryLastWhere<Self>
    {
        Publishers.TryLastWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the last value of upstream.
    public struct Last<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `last()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: NonthrowingFold(LastFold(name: "Last") { _ in true }), to: subscriber)
        }
    }

    /// A publisher of the last value of upstream that satisfies a predicate.
    public struct LastWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) -> Bool

        /// Creates the publisher that `last(where:)` returns.
        @preconcurrency @inlinable public init(upstream: Upstream, predicate: @escaping @Sendable (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: NonthrowingFold(LastFold(name: "LastWhere", predicate: predicate)), to: subscriber)
        }
    }

    /// A publisher of the last value of upstream that satisfies a throwing predicate.
    public struct TryLastWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) throws -> Bool

        /// Creates the publisher that `tryLast(where:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: LastFold(name: "TryLastWhere", predicate: predicate), to: subscriber)
        }
    }
}

extension Publishers.Last: Sendable where Upstream: Sendable {}

extension Publishers.LastWhere: Sendable where Upstream: Sendable {}

extension Publishers.TryLastWhere: Sendable where Upstream: Sendable {}

extension Publishers.Last: Equatable where Upstream: Equatable {}

/// Keeps the last value that satisfies a predicate.
@usableFromInline struct LastFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let name: StaticString

    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var found: Input?

    @inlinable init(name: StaticString, predicate: @escaping (Input) throws -> Bool) {
        self.name = name
        self.predicate = predicate
    }

    @inlinable var hasResult: Bool { found != nil }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        if try predicate(input) { found = input }
        return false
    }

    @inlinable func result() -> Input { found.unsafelyUnwrapped }
}
