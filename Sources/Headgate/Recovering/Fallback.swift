import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Goes on with another publisher when this one fails, whatever the failure.
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
    /// - **Demand**: passed on. What this publisher has not served is asked of the other one.
    /// - **Completion**: finishes when either finishes. Fails with the failure of the other one.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter other: The other publisher. The expression is evaluated for each failure, and not before.
    @inlinable public func fallback<P: Publisher & StrictlySendableMetatype>(
        to other: @autoclosure @escaping StreamClosure<P>
    ) -> Publishers.Catch<Self, P> where P.Output == Output {
        self.catch { _ in other() }
    }
}
