import HeadgateEngine

extension Publisher {
    /// Accumulates all values with a closure, and publishes the result when upstream finishes.
    ///
    /// ```
    /// self      1---2---3---|
    /// reduce    0, +
    ///           ------------(6|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .reduce(0, +)
    ///     .sink { print($0) }
    /// // 6
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. Without values, the
    ///   result is the initial one.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value.
    ///   - nextPartialResult: Combines the result so far with a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Accumulates all values with a throwing closure, and publishes the result when upstream finishes; fails if the
    /// closure throws.
    ///
    /// ```
    /// self       1---2---0---3---|
    /// tryReduce  100, /
    ///            --------x
    /// ```
    ///
    /// ```swift
    /// struct DivisionByZero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryReduce(100) { result, divisor in
    ///         if divisor == 0 { throw DivisionByZero() }
    ///         return result / divisor
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.DivisionByZero())
    /// ```
    ///
    /// - **Demand**: requests unlimited values from upstream: at once, or with the first demand if upstream waits for
    ///   demand. The result waits for demand.
    /// - **Completion**: finishes after the result. A failure is forwarded without a result. An error that the closure
    ///   throws cancels upstream and fails the stream.
    /// - **Threads**: the closure is called on the thread on which upstream delivers; the result is delivered on the
    ///   thread on which upstream completes, or on that of the first request, whichever comes later.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameters:
    ///   - initialResult: The result before the first value.
    ///   - nextPartialResult: Combines the result so far with a value. Called on the thread that delivers.
    @preconcurrency @inlinable public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping @Sendable (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }
}

extension Publishers {
    /// A publisher that accumulates all values with a closure.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initial: Output

        /// The closure that combines the result so far with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) -> Output

        /// Creates the publisher that `reduce(_:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, initial: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = ReduceFold<_, _, Failure>(name: "Reduce", result: initial, next: nextPartialResult)
            upstream.fold(by: NonthrowingFold(fold), to: subscriber)
        }
    }

    /// A publisher that accumulates all values with a throwing closure.
    public struct TryReduce<Upstream: Publisher, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial result.
        public let initial: Output

        /// The closure that combines the result so far with a value.
        public let nextPartialResult: @Sendable (Output, Upstream.Output) throws -> Output

        /// Creates the publisher that `tryReduce(_:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, initial: Output,
            nextPartialResult: @escaping @Sendable (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.fold(by: ReduceFold(name: "TryReduce", result: initial, next: nextPartialResult), to: subscriber)
        }
    }
}

extension Publishers.Reduce: Sendable where Upstream: Sendable, Output: Sendable {}

extension Publishers.TryReduce: Sendable where Upstream: Sendable, Output: Sendable {}

/// Keeps the result so far.
@usableFromInline struct ReduceFold<Input, Output, InputFailure: Error>: ThrowingFold {
    @usableFromInline let name: StaticString

    @usableFromInline var partialResult: Output

    @usableFromInline let next: (Output, Input) throws -> Output

    @inlinable init(name: StaticString, result: Output, next: @escaping (Output, Input) throws -> Output) {
        self.name = name
        partialResult = result
        self.next = next
    }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        partialResult = try next(partialResult, input)
        return false
    }

    @inlinable func result() -> Output { partialResult }
}
