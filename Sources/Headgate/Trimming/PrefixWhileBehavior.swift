import HeadgateEngine

/// What happens to the value that ends a prefix.
public enum PrefixWhileBehavior: Hashable, Sendable, CaseIterable {
    /// It is forwarded, and the stream finishes right after it.
    case inclusive

    /// It is dropped.
    case exclusive
}

extension Publisher {
    /// Forwards values until a predicate returns `false` for the first time, with or without that value, then finishes.
    ///
    /// ```
    /// self      1---2---5---1---|
    /// prefix    while below 3, inclusive
    ///           1---2---5|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 1].publisher
    ///     .prefix(while: { $0 < 3 }, behavior: .inclusive)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 5
    /// ```
    ///
    /// - **Demand**: forwarded.
    /// - **Completion**: finishes after the first value for which the predicate returns `false`, or in its place, and
    ///   cancels upstream; or completes with upstream before that.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the predicate per value.
    ///
    /// - Parameters:
    ///   - predicate: Whether the prefix continues. Called on the delivering thread.
    ///   - behavior: What happens to the value that ends the prefix.
    @preconcurrency @inlinable public func prefix(
        while predicate: @escaping @Sendable (Output) -> Bool, behavior: PrefixWhileBehavior
    ) -> AnyPublisher<Output, Failure> {
        switch behavior {
        case .exclusive: prefix(while: predicate).eraseToAnyPublisher()
        case .inclusive: Publishers.Stepped(self, PrefixThroughStep(predicate: predicate)).eraseToAnyPublisher()
        }
    }
}

/// What `prefix(while:behavior:)` does to a value.
@usableFromInline struct PrefixThroughStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let predicate: @Sendable (Input) -> Bool

    @inlinable init(predicate: @escaping @Sendable (Input) -> Bool) { self.predicate = predicate }

    @inlinable static var _name: String? { "PrefixWhile" }

    @inlinable mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        let result: _StepResult = predicate(input) ? .next : .last
        forward(input)
        return result
    }
}
