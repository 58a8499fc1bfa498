import HeadgateEngine

extension Publisher {
    /// Accumulates all values in place, and publishes the result when upstream finishes.
    ///
    /// A dictionary or an array that is the result of `reduce(_:_:)` is copied for each value; this updates it.
    ///
    /// ```
    /// self      1---2---3---|
    /// reduce    into: [], append
    ///           ------------([123]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["ant", "ape", "bee"].publisher
    ///     .reduce(into: [:]) { counts, word in counts[word.prefix(1), default: 0] += 1 }
    ///     .sink { print($0["a"] ?? 0, $0["b"] ?? 0) }
    /// // 2 1
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. Without values, the result
    ///   is the initial one.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value, and no copy of the result.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value. Each subscriber begins with a copy.
    ///   - update: Adds a value to the result. Called on the thread that delivers.
    @inlinable public func reduce<T>(
        into initialResult: T, _ update: @escaping @Sendable (inout T, Output) -> Void
    ) -> Publishers.ReduceInto<Self, T> {
        Publishers.ReduceInto(upstream: self, initial: initialResult, update: update)
    }
}

extension Publishers {
    /// A publisher that accumulates all values of upstream in place.
    public struct ReduceInto<Upstream: Publisher, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initial: Output

        /// Adds a value to the result.
        public let update: @Sendable (inout Output, Upstream.Output) -> Void

        /// Creates the publisher that `reduce(into:_:)` returns.
        @inlinable public init(
            upstream: Upstream, initial: Output, update: @escaping @Sendable (inout Output, Upstream.Output) -> Void
        ) {
            self.upstream = upstream
            self.initial = initial
            self.update = update
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: ReduceIntoFold(partialResult: initial, update: update), to: subscriber)
        }
    }
}

extension Publishers.ReduceInto: Sendable where Upstream: Sendable, Output: Sendable {}

/// Updates the result so far.
@usableFromInline struct ReduceIntoFold<Input, Output, Failure: Error>: Fold {
    @usableFromInline typealias InputFailure = Failure

    @usableFromInline var partialResult: Output

    @usableFromInline let update: (inout Output, Input) -> Void

    @inlinable init(partialResult: Output, update: @escaping (inout Output, Input) -> Void) {
        self.partialResult = partialResult
        self.update = update
    }

    @inlinable var name: StaticString { "Reduce" }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        update(&partialResult, input)
        return .more
    }

    @inlinable func result() -> Output { partialResult }
}
