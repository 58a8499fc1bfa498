extension Collection where Element: Publisher {
    /// Publishes the values of these publishers as they arrive.
    ///
    /// ```
    /// [0]       1-----2-----|
    /// [1]       --3-----4-----|
    /// [2]       ----5|
    /// merge     1-3-5-2-4-----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [[1, 2].publisher, [3].publisher].merge()
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: unlimited demand is forwarded to each publisher. Otherwise, requests one value from each, and the
    ///   next after that one has been delivered.
    /// - **Completion**: finishes when all have finished, or at once if there are none. Fails at once when one of them
    ///   fails, and cancels the others.
    /// - **Complexity**: constant time per value, however many publishers there are.
    /// - **Threads**: those of `merge(with:)`: a value is delivered on the thread of the publisher that sends it, or of
    ///   the request that it has waited for.
    @inlinable public func merge() -> AnyPublisher<Element.Output, Element.Failure> {
        Publishers.MergeMany(self).eraseToAnyPublisher()
    }
}
