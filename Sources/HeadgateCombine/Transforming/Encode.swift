import HeadgateEngine

extension Publisher where Output: Encodable & SendableMetatype {
    /// Encodes each value; fails if the encoder throws.
    ///
    /// ```
    /// self      1---2---|
    /// encode    as JSON
    ///           1---2---|      as data
    /// ```
    ///
    /// ```swift
    /// import Foundation
    /// import HeadgateCombine
    ///
    /// let cancellable = [["a": 1]].publisher
    ///     .encode(encoder: JSONEncoder())
    ///     .map { String(decoding: $0, as: UTF8.self) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // {"a":1}
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged. An error that the encoder throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one encoding per value. Fused with adjacent operators.
    ///
    /// - Parameter encoder: Encodes the values. Called on the thread that delivers.
    @preconcurrency @inlinable public func encode<Coder: TopLevelEncoder>(encoder: Coder)
        -> Publishers.Encode<Self, Coder>
    {
        Publishers.Encode(upstream: self, encoder: encoder)
    }
}

extension Publishers {
    /// A publisher of upstream's values, encoded.
    @preconcurrency public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: _StepPublisher
    where Upstream.Output: Encodable & SendableMetatype {
        /// The type of the published values.
        public typealias Output = Coder.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let encoder: Coder

        /// Creates the publisher that `encode(encoder:)` returns.
        @inlinable public init(upstream: Upstream, encoder: Coder) {
            self.upstream = upstream
            self.encoder = encoder
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _EncodeStep<Upstream.Output, Upstream.Failure, Coder> {
            _EncodeStep(encoder: encoder)
        }
    }
}

extension Publishers.Encode: Sendable where Upstream: Sendable, Coder: Sendable {}

/// What `encode` does to a value.
@preconcurrency @frozen public struct _EncodeStep<Input, InputFailure: Error, Coder: TopLevelEncoder>: _ThrowingStep
where Input: Encodable & SendableMetatype {
    /// The type of the published values.
    public typealias Output = Coder.Output

    @usableFromInline let encoder: Coder

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(encoder: Coder) { self.encoder = encoder }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "Encode" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult {
        forward(try encoder.encode(input))
        return .next
    }
}
