import HeadgateCombine
import HeadgateCore

extension Publisher where Output: Collection & StrictlySendableMetatype {
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
    @inlinable public func mapMany<Result>(
        _ transform: @escaping StreamClosure<Output.Element, Result>
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
    @inlinable public func filterMany(
        _ isIncluded: @escaping StreamClosure<Output.Element, Bool>
    ) -> AnyPublisher<[Output.Element], Failure> where Self: StrictlySendable {
        map { $0.filter(isIncluded) }.eraseToAnyPublisher()
    }
}
