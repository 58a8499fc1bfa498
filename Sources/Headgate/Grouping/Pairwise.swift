import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes each value together with the previous one.
    ///
    /// ```
    /// self      1---2-----3-----|
    /// pairwise
    ///           ----(1,2)-(2,3)-|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 4, 9].publisher
    ///     .pairwise()
    ///     .map { $1 - $0 }
    ///     .sink { print($0) }
    /// // 3
    /// // 5
    /// ```
    ///
    /// - **Demand**: forwarded; one more value is requested for the first one.
    /// - **Completion**: forwarded. A single value makes no pair.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    @inlinable public func pairwise() -> AnyPublisher<(Output, Output), Failure> {
        step(state: Output?.none) { last, value in exchange(&last, with: value).map { ($0, value) } }
            .eraseToAnyPublisher()
    }
}
