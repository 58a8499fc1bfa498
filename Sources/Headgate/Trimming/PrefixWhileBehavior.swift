import HeadgateCombine
import HeadgateCore
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
        case .inclusive: Publishers.PrefixThrough(upstream: self, predicate: predicate).eraseToAnyPublisher()
        }
    }
}

extension Publishers {
    /// A publisher of upstream's values up to and including the first for which a predicate returns `false`.
    public struct PrefixThrough<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// Whether the prefix continues.
        public let predicate: @Sendable (Output) -> Bool

        /// Creates the publisher that `prefix(while:behavior:)` erases.
        @preconcurrency @inlinable public init(upstream: Upstream, predicate: @escaping @Sendable (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _PrefixThroughStep<Output, Failure> {
            _PrefixThroughStep(predicate: predicate)
        }
    }
}

extension Publishers.PrefixThrough: Sendable where Upstream: Sendable {}

/// What `prefix(while:behavior:)` does to a value.
@frozen public struct _PrefixThroughStep<Input, InputFailure: Error>: _Step {
    @usableFromInline let predicate: (Output) -> Bool

    @inlinable init(predicate: @escaping (Output) -> Bool) { self.predicate = predicate }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "PrefixWhile" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        let result: _StepResult = predicate(input) ? .next : .last
        forward(input)
        return result
    }
}
