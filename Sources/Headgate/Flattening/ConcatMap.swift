import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Makes a publisher of each value, and publishes what these publish, one after the other.
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
    /// It is `flatMap(maxPublishers: .max(1), _:)`. A subject upstream drops what it sends while a publisher is going; put
    /// a `buffer` between them to keep it.
    ///
    /// - **Demand**: upstream is requested one value, and the next when the publisher made of it has finished and all its
    ///   values have been delivered. The publisher is requested everything from while demand is unlimited, and otherwise
    ///   one value at a time.
    /// - **Completion**: finishes when upstream and the last publisher have finished. Fails at once when either does, and
    ///   cancels the other.
    /// - **Complexity**: constant time per value and publisher. A publisher of one value that is there, such as `Just`, is
    ///   not even subscribed to.
    ///
    /// - Parameter transform: Makes a publisher of each value. Called on the thread that delivers the value.
    @inlinable public func concatMap<P: Publisher & StrictlySendableMetatype>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: .max(1), transform: transform)
    }

    /// Makes a publisher that never fails of each value, and publishes what these publish, one after the other.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @inlinable public func concatMap<P: Publisher & StrictlySendableMetatype>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}

extension Publisher where Failure == Never {
    /// Makes a publisher that may fail of each value of one that never does, and publishes what these publish, one after
    /// the other.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @inlinable public func concatMap<P: Publisher & StrictlySendableMetatype>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        flatMap(maxPublishers: .max(1), transform)
    }

    /// Makes a publisher of each value, and publishes what these publish, one after the other, where nothing can fail.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `concatMap(_:)` with equal failures.
    @inlinable public func concatMap<P: Publisher & StrictlySendableMetatype>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        flatMap(maxPublishers: .max(1), transform)
    }
}
