import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// What becomes of the value that ends a prefix.
public enum PrefixWhileBehavior: Hashable, Sendable, CaseIterable {
    /// It is passed on, and the stream finishes right after it.
    case inclusive

    /// It is left out.
    case exclusive
}

extension Publisher {
    /// Passes values on until a closure answers false for the first time, with or without that value, and finishes there.
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
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes after the first value for which the closure answers false, or in its place, and cancels
    ///   upstream; or with upstream before that.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameters:
    ///   - predicate: Decides on each value. Called on the thread that delivers.
    ///   - behavior: What becomes of the value that ends the prefix.
    @inlinable public func prefix(
        while predicate: @escaping StreamClosure<Output, Bool>, behavior: PrefixWhileBehavior
    ) -> AnyPublisher<Output, Failure> where Self: StrictlySendable {
        switch behavior {
        case .exclusive: prefix(while: predicate).eraseToAnyPublisher()
        case .inclusive: Publishers.PrefixThrough(upstream: self, predicate: predicate).eraseToAnyPublisher()
        }
    }
}

extension Publishers {
    /// A publisher of the values of another publisher up to and with the first for which a closure answers false.
    public struct PrefixThrough<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first values are passed on.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: StreamClosure<Output, Bool>

        /// Makes the publisher that is in what `prefix(while:behavior:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _PrefixThroughStep<Output, Failure> { _PrefixThroughStep(predicate: predicate) }
    }
}

extension Publishers.PrefixThrough: StrictlySendable where Upstream: StrictlySendable {}

/// What `prefix(while:behavior:)` does to a value.
@frozen public struct _PrefixThroughStep<Output, Failure: Error>: _NamedStep {
    @usableFromInline let predicate: (Output) -> Bool

    @inlinable init(predicate: @escaping (Output) -> Bool) { self.predicate = predicate }

    /// `PrefixWhile`.
    @inlinable public static var _name: String { "PrefixWhile" }

    /// Passes the value on, as the last one where the closure answers false.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Failure> {
        predicate(input) ? .next(input) : .last(input)
    }
}
