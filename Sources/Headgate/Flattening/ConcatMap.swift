extension Publisher {
    /// Transforms each value into a publisher, and publishes the values of these publishers one after the other.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while an inner publisher is active: put
    /// `buffer` before this operator to keep it.
    ///
    /// ```
    /// self       1--2--------------|
    /// concatMap  a--b--c--|
    ///                     a--b--c--|
    ///            1a-1b-1c-2a-2b-2c-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher
    ///     .concatMap { ($0 * 10...$0 * 10 + 1).publisher }
    ///     .sink { print($0) }
    /// // 10
    /// // 11
    /// // 20
    /// // 21
    /// ```
    ///
    /// Equivalent to `flatMap(maxPublishers: .max(1), _:)`.
    ///
    /// - **Demand**: with the first demand, requests one value from upstream, and the next after its inner publisher
    ///   has finished, all its values have been delivered, and there is demand. Requests unlimited values from the
    ///   inner publisher while demand is unlimited, and otherwise one value at a time.
    /// - **Completion**: finishes when upstream and the last inner publisher have finished. Fails at once when either
    ///   fails, and cancels the other.
    /// - **Threads**: those of `flatMap(maxPublishers:_:)`: the closure is called on the thread on which upstream
    ///   delivers, and a value is delivered on that of the inner publisher, or of the request that it has waited for.
    /// - **Complexity**: constant time per value and publisher. A publisher of one immediate value, such as `Just`, is
    ///   not even subscribed to.
    ///
    /// - Parameter transform: Creates a publisher from each value. Called on the thread that delivers the value.
    @preconcurrency @inlinable public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: .max(1), transform: transform)
    }

    /// Transforms each value into a publisher that never fails, and publishes the values of these one after the other.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @preconcurrency @inlinable public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}

extension Publisher where Failure == Never {
    /// Transforms each value of a publisher that never fails into one that may fail, and publishes the values of these
    /// one after the other.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @preconcurrency @inlinable public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        flatMap(maxPublishers: .max(1), transform)
    }

    /// Transforms each value into a publisher, and publishes the values of these one after the other; neither can fail.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @preconcurrency @inlinable public func concatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}
