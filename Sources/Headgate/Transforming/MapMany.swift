extension Publisher where Output: Collection & SendableMetatype {
    /// Transforms the elements of each collection.
    ///
    /// ```
    /// self      [1,2]-------[3]---|
    /// mapMany   *10
    ///           [10,20]-----[30]--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Just([1, 2, 3])
    ///     .mapMany { $0 * 10 }
    ///     .sink { print($0) }
    /// // [10, 20, 30]
    /// ```
    ///
    /// **Demand**, **Completion** and **Threads** are those of `map(_:)`. **Complexity**: one call of the closure per
    /// element.
    ///
    /// - Parameter transform: Transforms one element.
    @preconcurrency @inlinable public func mapMany<Result>(
        _ transform: @escaping @Sendable (Output.Element) -> Result
    ) -> Publishers.Map<Self, [Result]> {
        map { $0.map(transform) }
    }

    /// Filters the elements of each collection.
    ///
    /// ```
    /// self        [1,2]---[3,4]---|
    /// filterMany  even
    ///             [2]-----[4]-----|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Just([1, 2, 3])
    ///     .filterMany { $0 > 1 }
    ///     .sink { print($0) }
    /// // [2, 3]
    /// ```
    ///
    /// A collection without matching elements is published as an empty array.
    ///
    /// **Demand**, **Completion** and **Threads** are those of `map(_:)`. **Complexity**: one call of the closure per
    /// element.
    ///
    /// - Parameter isIncluded: Whether to keep an element.
    @preconcurrency @inlinable public func filterMany(
        _ isIncluded: @escaping @Sendable (Output.Element) -> Bool
    ) -> AnyPublisher<[Output.Element], Failure> {
        map { $0.filter(isIncluded) }.eraseToAnyPublisher()
    }
}
