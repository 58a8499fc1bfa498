import HeadgateEngine

extension Publisher {
    /// Decodes a value from each piece of data; fails if the decoder throws.
    ///
    /// ```
    /// self      1---2---|      as data
    /// decode    from JSON
    ///           1---2---|
    /// ```
    ///
    /// ```swift
    /// import Foundation
    /// import HeadgateCombine
    ///
    /// let cancellable = [Data("[1, 2]".utf8)].publisher
    ///     .decode(type: [Int].self, decoder: JSONDecoder())
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // [1, 2]
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged. An error that the decoder throws cancels upstream and fails the stream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one decoding per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the values. Called on the thread that delivers.
    @preconcurrency @inlinable public func decode<Item: Decodable & SendableMetatype, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        Publishers.Decode(upstream: self, decoder: decoder)
    }
}

extension Publishers {
    /// A publisher of the values decoded from upstream's data.
    public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: _StepPublisher
    where Upstream.Output == Coder.Input {
        /// The type of error that the stream may fail with.
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let decoder: Coder

        /// Creates the publisher that `decode(type:decoder:)` returns.
        @inlinable public init(upstream: Upstream, decoder: Coder) {
            self.upstream = upstream
            self.decoder = decoder
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _DecodeStep<Upstream.Output, Upstream.Failure, Output, Coder> {
            _DecodeStep(decoder: decoder)
        }
    }
}

extension Publishers.Decode: Sendable where Upstream: Sendable, Coder: Sendable {}

/// What `decode` does to a value.
@frozen
public struct _DecodeStep<Input, InputFailure: Error, Output: Decodable, Coder: TopLevelDecoder>: _ThrowingStep
where Coder.Input == Input {
    @usableFromInline let decoder: Coder

    /// The failure with which the step has ended the stream.
    public var _failure: (any Error)?

    @inlinable init(decoder: Coder) { self.decoder = decoder }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "Decode" }

    /// Processes one value.
    @_transparent public mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult {
        forward(try decoder.decode(Output.self, from: input))
        return .next
    }
}
