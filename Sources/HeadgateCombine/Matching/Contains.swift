import HeadgateEngine

extension Publisher where Output: Equatable & SendableMetatype {
    /// Publishes whether upstream publishes a given value, as soon as that is known.
    ///
    /// ```
    /// self      1---2---3---|
    /// contains  2
    ///           ----(true|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .contains(2)
    ///     .sink { print($0) }
    /// // true
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: cancels upstream as soon as the result is known, and finishes after it. A failure is
    ///   forwarded.
    /// - **Threads**: values are compared on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one comparison per value.
    ///
    /// - Parameter output: The value to look for.
    @preconcurrency @inlinable public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}

extension Publisher {
    /// Publishes whether any value satisfies a predicate, as soon as that is known.
    ///
    /// ```
    /// self      1---2---3---|
    /// contains  even
    ///           ----(true|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .contains { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // true
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: cancels upstream as soon as the result is known, and finishes after it. A failure is
    ///   forwarded.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func contains(where predicate: @escaping @Sendable (Output) -> Bool)
        -> Publishers.ContainsWhere<Self>
    {
        Publishers.ContainsWhere(upstream: self, predicate: predicate)
    }

    /// Publishes whether any value satisfies a throwing predicate, as soon as that is known, and fails if it throws.
    ///
    /// ```
    /// self         1---0---2---|
    /// tryContains  even, but no zero
    ///              ----x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 2].publisher
    ///     .tryContains { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: cancels upstream as soon as the result is known, and finishes after it. A failure is
    ///   forwarded. An error that the closure throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream delivers the deciding value, or completes, or on that of the first request, whichever
    ///   comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameter predicate: Tests a value. Called on the thread that delivers it.
    @preconcurrency @inlinable public func tryContains(
        where predicate: @escaping @Sendable (Output) throws -> Bool
    ) -> Publishers.TryContainsWhere<Self> {
        Publishers.TryContainsWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of whether upstream publishes a given value.
    @preconcurrency public struct Contains<Upstream: Publisher>: Publisher
    where Upstream.Output: Equatable & SendableMetatype {
        /// The type of the published values.
        public typealias Output = Bool
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The value to look for.
        public let output: Upstream.Output

        /// Creates the publisher that `contains(_:)` returns.
        @inlinable public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: MatchFold(name: "Contains", decidesOn: true) { [output] in $0 == output }, to: subscriber)
        }
    }

    /// A publisher of whether any value of upstream satisfies a predicate.
    public struct ContainsWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Bool
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Upstream.Output) -> Bool

        /// Creates the publisher that `contains(where:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: MatchFold(name: "ContainsWhere", decidesOn: true, predicate), to: subscriber)
        }
    }

    /// A publisher of whether any value of upstream satisfies a throwing predicate.
    public struct TryContainsWhere<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Bool
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The predicate that tests each value.
        public let predicate: @Sendable (Upstream.Output) throws -> Bool

        /// Creates the publisher that `tryContains(where:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, predicate: @escaping @Sendable (Upstream.Output) throws -> Bool
        ) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: TryMatchFold(name: "TryContainsWhere", decidesOn: true, predicate), to: subscriber)
        }
    }
}

extension Publishers.Contains: Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publishers.ContainsWhere: Sendable where Upstream: Sendable {}

extension Publishers.TryContainsWhere: Sendable where Upstream: Sendable {}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

/// Waits for the first value for which the predicate returns the deciding answer.
///
/// That answer is the result; if upstream finishes before, the result is its opposite.
@usableFromInline struct MatchFold<Input, Failure: Error>: Fold {
    @usableFromInline let name: StaticString

    @usableFromInline let decisive: Bool

    @usableFromInline let predicate: (Input) -> Bool

    @usableFromInline var isDecided = false

    @inlinable init(name: StaticString, decidesOn decisive: Bool, _ predicate: @escaping (Input) -> Bool) {
        self.name = name
        self.decisive = decisive
        self.predicate = predicate
    }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        isDecided = predicate(input) == decisive
        return isDecided ? .done : .more
    }

    @inlinable func result() -> Bool { isDecided == decisive }
}

/// Waits for the first value for which a throwing predicate returns the deciding answer.
// Separate from `MatchFold`, because a shared implementation costs that one 10 % more instructions per value.
@usableFromInline struct TryMatchFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let name: StaticString

    @usableFromInline let decisive: Bool

    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var isDecided = false

    @inlinable init(name: StaticString, decidesOn decisive: Bool, _ predicate: @escaping (Input) throws -> Bool) {
        self.name = name
        self.decisive = decisive
        self.predicate = predicate
    }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        isDecided = try predicate(input) == decisive
        return isDecided
    }

    @inlinable func result() -> Bool { isDecided == decisive }
}
