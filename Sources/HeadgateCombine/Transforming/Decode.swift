import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the value that a decoder makes of each piece of data; where it throws, the stream fails with that
    /// error.
    ///
    /// ```
    /// self      1---2---|      as data
    /// decode    from JSON
    ///           1---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [Data("[1, 2]".utf8)].publisher
    ///     .decode(type: [Int].self, decoder: JSONDecoder())
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // [1, 2]
    /// // finished
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. An error that the decoder throws cancels upstream and ends the stream.
    /// - **Complexity**: one decoding a value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - type: The kind of value to make.
    ///   - decoder: Makes the value. Called on the thread that delivers.
    @inlinable public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        Publishers.Decode(upstream: self, decoder: decoder)
    }
}

extension Publishers {
    /// A publisher of the value that a decoder makes of each piece of data of another publisher.
    public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: _StepPublisher
    where Upstream.Output == Coder.Input {
        /// Any error: those of upstream and those that the decoder throws.
        public typealias Failure = any Error

        /// The publisher whose data is decoded.
        public let upstream: Upstream

        @usableFromInline let decoder: Coder

        /// Makes the publisher that `decode(type:decoder:)` returns.
        @inlinable public init(upstream: Upstream, decoder: Coder) {
            self.upstream = upstream
            self.decoder = decoder
        }

        /// The step that calls the decoder.
        @inlinable public var _stage: _DecodeStep<Upstream, Output, Coder> { _DecodeStep(decoder: decoder) }
    }
}

extension Publishers.Decode: StrictlySendable where Upstream: StrictlySendable, Coder: StrictlySendable {}

/// What `decode` does to a value.
@frozen
public struct _DecodeStep<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: _ThrowingStep, _UpstreamStep
where Coder.Input == Upstream.Output {
    @usableFromInline let decoder: Coder

    @inlinable init(decoder: Coder) { self.decoder = decoder }

    /// `Decode`.
    @inlinable public static var _name: String { "Decode" }

    /// Calls the decoder.
    @inlinable public mutating func _attempt(_ input: Upstream.Output) throws -> _StepResult<Output, any Error> {
        .next(try decoder.decode(Output.self, from: input))
    }
}
