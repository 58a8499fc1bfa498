import HeadgateCore
import HeadgateEngine

extension Publisher where Output: Encodable {
    /// Publishes the data that an encoder makes of each value; where it throws, the stream fails with that error.
    ///
    /// ```
    /// self      1---2---|
    /// encode    as JSON
    ///           1---2---|      as data
    /// ```
    ///
    /// ```swift
    /// let cancellable = [["a": 1]].publisher
    ///     .encode(encoder: JSONEncoder())
    ///     .map { String(decoding: $0, as: UTF8.self) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // {"a":1}
    /// // finished
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is. An error that the encoder throws cancels upstream and ends the stream.
    /// - **Complexity**: one encoding a value. Fused with the operators around it.
    ///
    /// - Parameter encoder: Makes the data. Called on the thread that delivers.
    @inlinable public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
        Publishers.Encode(upstream: self, encoder: encoder)
    }
}

extension Publishers {
    /// A publisher of the data that an encoder makes of each value of another publisher.
    public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: _StepPublisher
    where Upstream.Output: Encodable {
        /// What the encoder makes.
        public typealias Output = Coder.Output

        /// Any error: those of upstream and those that the encoder throws.
        public typealias Failure = any Error

        /// The publisher whose values are encoded.
        public let upstream: Upstream

        @usableFromInline let encoder: Coder

        /// Makes the publisher that `encode(encoder:)` returns.
        @inlinable public init(upstream: Upstream, encoder: Coder) {
            self.upstream = upstream
            self.encoder = encoder
        }

        /// The step that calls the encoder.
        @inlinable public var _stage: _EncodeStep<Upstream, Coder> {
            _EncodeStep(encoder: encoder)
        }
    }
}

extension Publishers.Encode: StrictlySendable where Upstream: StrictlySendable, Coder: StrictlySendable {}

/// What `encode` does to a value.
@frozen public struct _EncodeStep<Upstream: Publisher, Coder: TopLevelEncoder>: _ThrowingStep, _UpstreamStep
where Upstream.Output: Encodable {
    /// What the encoder makes.
    public typealias Output = Coder.Output

    @usableFromInline let encoder: Coder

    @inlinable init(encoder: Coder) { self.encoder = encoder }

    /// `Encode`.
    @inlinable public static var _name: String { "Encode" }

    /// Calls the encoder.
    @inlinable public mutating func _attempt(_ input: Upstream.Output) throws -> _StepResult<Output, any Error> {
        .next(try encoder.encode(input))
    }
}
