import HeadgateCombine
import HeadgateCore

extension Collection where Element: Publisher {
    /// Publishes the values of these publishers as they come.
    ///
    /// ```swift
    /// let cancellable = [[1, 2].publisher, [3].publisher].merge()
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: while it is unlimited, so is that for each publisher. Otherwise each is requested one value, and the
    ///   next when that one has been delivered.
    /// - **Completion**: finishes when all have finished, at once if there are none. Fails at once when any of them does,
    ///   and cancels the others.
    /// - **Complexity**: constant time per value, however many publishers there are.
    @inlinable public func merge() -> AnyPublisher<Element.Output, Element.Failure> where Element: StrictlySendable {
        Publishers.MergeMany(self).eraseToAnyPublisher()
    }
}
