import HeadgateCombine
import HeadgateCore

extension Publisher where Output: Collection & StrictlySendableMetatype {
    /// Maps the elements of each collection.
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
    /// **Demand** and **Completion** are those of `map(_:)`. **Complexity**: one call of the closure an element.
    ///
    /// - Parameter transform: Makes one element of another.
    @inlinable public func mapMany<Result>(
        _ transform: @escaping StreamClosure<Output.Element, Result>
    ) -> Publishers.Map<Self, [Result]> {
        map { $0.map(transform) }
    }

    /// Leaves elements of each collection out.
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
    /// A collection of which nothing is left is published as an empty array.
    ///
    /// **Demand** and **Completion** are those of `map(_:)`. **Complexity**: one call of the closure an element.
    ///
    /// - Parameter isIncluded: Whether an element stays.
    @inlinable public func filterMany(
        _ isIncluded: @escaping StreamClosure<Output.Element, Bool>
    ) -> AnyPublisher<[Output.Element], Failure> where Self: StrictlySendable {
        map { $0.filter(isIncluded) }.eraseToAnyPublisher()
    }
}
