import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Publishes a value to begin with, and then what a closure makes of the last result and each value.
    ///
    /// ```
    /// self      --1---2---3--|
    /// scan      0, +
    ///           0-1---3---6--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 3].publisher
    ///     .map { $0 }
    ///     .scan(emitting: 0, +)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [0, 1, 3, 6]
    /// ```
    ///
    /// Upstream is subscribed to when the first value has been requested.
    ///
    /// - **Demand**: passed on, less one for the value to begin with.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameters:
    ///   - initialResult: What is published first.
    ///   - nextPartialResult: Makes a result of the last one and a value.
    @inlinable public func scan<Result>(
        emitting initialResult: Result, _ nextPartialResult: @escaping StreamClosure<Result, Output, Result>
    ) -> Publishers.Concatenate<Publishers.Sequence<[Result], Failure>, Publishers.Scan<Self, Result>> {
        Publishers.Concatenate(
            prefix: Publishers.Sequence(sequence: [initialResult]), suffix: scan(initialResult, nextPartialResult))
    }
}
