extension Publisher {
    /// Continues with another publisher when this one fails, whatever the failure.
    ///
    /// ```
    /// self      1---2---x
    /// fallback          8---9--|
    ///           1---2---8---9--|
    /// ```
    ///
    /// ```swift
    /// struct Offline: Error {}
    /// let cancellable = Fail<String, Offline>(error: Offline())
    ///     .fallback(to: Just("what was there yesterday"))
    ///     .sink { print($0) }
    /// // what was there yesterday
    /// ```
    ///
    /// - **Demand**: forwarded. Demand that this publisher has not served is requested from the other one.
    /// - **Completion**: finishes when either finishes. Fails with the failure of the other publisher.
    /// - **Threads**: a value is delivered on the thread of the publisher that sends it. The expression is evaluated,
    ///   and the other publisher subscribed to, on the thread on which this one fails.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter other: The other publisher. The expression is evaluated once per failure, and not before.
    @preconcurrency @inlinable public func fallback<P: Publisher>(
        to other: @autoclosure @escaping @Sendable () -> P
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        self.catch { _ in other() }
    }
}
