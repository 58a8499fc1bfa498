extension Publisher {
    /// Transforms each value into a publisher, and mirrors the most recent one, cancelling the previous one.
    ///
    /// Drops what the previous publisher has not published when the next one arrives. To keep it, use `concatMap` or
    /// `flatMapSequential`; to keep the first publisher instead of the most recent, `flatMapFirst`.
    ///
    /// ```
    /// self           1-----2-----------|
    /// flatMapLatest  a--b--c--|
    ///                      a--b--c--|
    ///                1a-1b-2a-2b-2c----|
    /// ```
    ///
    /// ```swift
    /// let searches = PassthroughSubject<String, Never>()
    /// let cancellable = searches
    ///     .flatMapLatest { text in [text + "1", text + "2"].publisher }
    ///     .sink { print($0) }
    /// searches.send("a")
    /// searches.send("b")
    /// // a1
    /// // a2
    /// // b1
    /// // b2
    /// ```
    ///
    /// - **Demand**: forwarded to the most recent publisher; demand that one has not served is requested from the next.
    ///   With the first demand, requests unlimited values from upstream.
    /// - **Completion**: finishes when upstream and the most recent publisher have finished. Fails at once when either
    ///   fails, and cancels the other.
    /// - **Threads**: those of `switchToLatest()`: the closure is called on the thread on which upstream delivers,
    ///   where the previous publisher is cancelled and the next one subscribed to; a value is delivered on the thread
    ///   of the most recent publisher.
    /// - **Complexity**: constant time per value and publisher.
    ///
    /// - Parameter transform: Creates a publisher from each value. Called on the thread that delivers the value.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
        map(transform).switchToLatest()
    }

    /// Transforms each value into a publisher that never fails, and mirrors the most recent one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMapLatest(_:)` with equal failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    )
        -> Publishers.SwitchToLatest<
            Publishers.SetFailureType<P, Failure>, Publishers.Map<Self, Publishers.SetFailureType<P, Failure>>
        > where P.Failure == Never
    {
        flatMapLatest { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    /// Transforms each value of a publisher that never fails into one that may fail, and mirrors the most recent one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMapLatest(_:)` with equal failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Publishers.SetFailureType<Self, P.Failure>, P>> {
        setFailureType(to: P.Failure.self).flatMapLatest(transform)
    }

    /// Transforms each value into a publisher, and mirrors the most recent one; neither can fail.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `flatMapLatest(_:)` with equal failures.
    @preconcurrency @inlinable @_disfavoredOverload public func flatMapLatest<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Never {
        map(transform).switchToLatest()
    }
}
