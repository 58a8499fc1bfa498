import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Makes a publisher of each value, and publishes what the latest of them publishes.
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
    /// - **Demand**: passed on to the latest publisher; what one has not served is requested from the next. Upstream is
    ///   requested everything from.
    /// - **Completion**: finishes when upstream and the latest publisher have finished. Fails at once when either does. The
    ///   publisher that is left is cancelled.
    /// - **Complexity**: constant time per value and publisher.
    ///
    /// - Parameter transform: Makes a publisher of each value. Called on the thread that delivers the value.
    @inlinable public func flatMapLatest<P: Publisher>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.SwitchToLatest<P, Publishers.Map<Self, P>> where P.Failure == Failure {
        map(transform).switchToLatest()
    }
}
