import HeadgateEngine

extension Publisher {
    /// Publishes the first value, then finishes.
    ///
    /// ```
    /// self      --1---2---3---|
    /// first
    ///           --(1|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .first()
    ///     .sink { print($0) }
    /// // 1
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: cancels upstream as soon as the value arrives, and finishes after it; without a value,
    ///   completes with upstream.
    /// - **Threads**: the value is delivered on the thread on which upstream delivers it, or on that of the first
    ///   request, whichever comes later.
    /// - **Complexity**: constant time.
    @inlinable public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }

    /// Publishes the first value that satisfies a predicate, then finishes.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// first     even
    ///           ----(2|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .first { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // 2
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: cancels upstream as soon as the value arrives, and finishes after it; without such a
    ///   value, completes with upstream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func first(where predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.FirstWhere<Self>
    {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the first value that satisfies a throwing predicate, then finishes; fails if the predicate throws.
    ///
    /// ```
    /// self      1---0---2---|
    /// tryFirst  even, but no zero
    ///           ----x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 2].publisher
    ///     .tryFirst { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The value waits for demand.
    /// - **Completion**: cancels upstream as soon as the value arrives or the closure throws; finishes after the value,
    ///   or fails with the error. Otherwise completes with upstream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryFirst(where predicate: @escaping @Sendable (Output) throws -> Bool)
        -> Publishers.TryFirstWhere<Self>
    {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the first value of upstream.
    public struct First<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Creates the publisher that `first()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: FirstFold(name: "First") { _ in true }, to: subscriber)
        }
    }

    /// A publisher of the first value of upstream that satisfies a predicate.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) -> Bool

        /// Creates the publisher that `first(where:)` returns.
        @preconcurrency @inlinable public init(upstream: Upstream, predicate: @escaping @Sendable (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: FirstFold(name: "TryFirst", predicate: predicate), to: subscriber)
        }
    }

    /// A publisher of the first value of upstream that satisfies a throwing predicate.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Output) throws -> Bool

        /// Creates the publisher that `tryFirst(where:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: TryFirstFold(predicate: predicate), to: subscriber)
        }
    }
}

extension Publishers.First: Sendable where Upstream: Sendable {}

extension Publishers.FirstWhere: Sendable where Upstream: Sendable {}

extension Publishers.TryFirstWhere: Sendable where Upstream: Sendable {}

extension Publishers.First: Equatable where Upstream: Equatable {}

/// Keeps the first value that satisfies a predicate.
@usableFromInline struct FirstFold<Input, Failure: Error>: Fold {
    @usableFromInline let name: StaticString

    @usableFromInline let predicate: (Input) -> Bool

    @usableFromInline var found: Input?

    @inlinable init(name: StaticString, predicate: @escaping (Input) -> Bool) {
        self.name = name
        self.predicate = predicate
    }

    @inlinable var hasResult: Bool { found != nil }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        if !predicate(input) { return .more }
        found = input
        return .done
    }

    @inlinable func result() -> Input { found.unsafelyUnwrapped }
}

/// Keeps the first value that satisfies a throwing predicate.
// Separate from `FirstFold`, because a shared implementation costs that one 4 % more instructions per value.
@usableFromInline struct TryFirstFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var found: Input?

    @inlinable init(predicate: @escaping (Input) throws -> Bool) { self.predicate = predicate }

    @inlinable var name: StaticString { "TryFirstWhere" }

    @inlinable var hasResult: Bool { found != nil }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        if try !predicate(input) { return false }
        found = input
        return true
    }

    @inlinable func result() -> Input { found.unsafelyUnwrapped }
}
