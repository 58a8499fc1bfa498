import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes arrays of neighbouring values that belong together.
    ///
    /// ```
    /// self      1---2---5---6---7-----1---|
    /// chunked   next == last + 1
    ///           --------[12]----------[567]-([1]|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 6, 7, 1].publisher
    ///     .chunked { $1 == $0 + 1 }
    ///     .sink { print($0) }
    /// // [1, 2]
    /// // [5, 6, 7]
    /// // [1]
    /// ```
    ///
    /// - **Demand**: upstream is requested one value for each array, and one more for each that completes none.
    /// - **Completion**: finishes after the last array, which waits until it is requested. A failure is passed on at once,
    ///   and what has been collected is dropped.
    /// - **Complexity**: amortised constant time per value. Memory for one array: an input that never differs makes an
    ///   endless one, so give a `limit` where the input is not to be trusted.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of values in an array; a longer one is published in pieces. At least one, or it is a
    ///     programmer's error and traps.
    ///   - belongTogether: Whether a value belongs in the same array as the one before it.
    @inlinable public func chunked(
        limit: Int = .max, by belongTogether: @escaping StreamClosure<Output, Output, Bool>
    ) -> Publishers.Chunked<Self, [Output]> {
        Publishers.Chunked(
            upstream: self, limit: limit, belongTogether: belongTogether, makeChunk: { $0 })
    }

    /// Publishes arrays of neighbouring values for which a closure answers the same, each with that answer.
    ///
    /// ```swift
    /// let cancellable = ["ant", "ape", "bee"].publisher
    ///     .chunked { $0.first }
    ///     .sink { print($0.0 ?? "-", $0.1) }
    /// // a ["ant", "ape"]
    /// // b ["bee"]
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `chunked(limit:by:)`. The closure is called twice per
    /// value.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of values in an array; a longer one is published in pieces. At least one, or it is a
    ///     programmer's error and traps.
    ///   - key: What neighbours have in common that belong in one array.
    @inlinable public func chunked<Key: Equatable & StrictlySendableMetatype>(
        limit: Int = .max, on key: @escaping StreamClosure<Output, Key>
    ) -> Publishers.Chunked<Self, (Key, [Output])> {
        Publishers.Chunked(
            upstream: self, limit: limit, belongTogether: { key($0) == key($1) }, makeChunk: { (key($0[0]), $0) })
    }
}

extension Publishers {
    /// A publisher of arrays of neighbouring values of another publisher that belong together.
    public struct Chunked<Upstream: Publisher, Output>: Publisher {
        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream

        /// The greatest number of values in an array.
        public let limit: Int

        /// Whether a value belongs in the same array as the one before it.
        public let belongTogether: StreamClosure<Upstream.Output, Upstream.Output, Bool>

        @usableFromInline let makeChunk: StreamClosure<[Upstream.Output], Output>

        @inlinable init(
            upstream: Upstream, limit: Int,
            belongTogether: @escaping StreamClosure<Upstream.Output, Upstream.Output, Bool>,
            makeChunk: @escaping StreamClosure<[Upstream.Output], Output>
        ) {
            requireLimit(limit, "chunked(limit:)")
            self.upstream = upstream
            self.limit = limit
            self.belongTogether = belongTogether
            self.makeChunk = makeChunk
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let tail = ChunkedTail<Upstream.Output, Output, Failure>(
                limit: limit, belongTogether: belongTogether, makeChunk: makeChunk)
            upstream.receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.Chunked: StrictlySendable where Upstream: StrictlySendable {}

/// Keeps values until one comes that does not belong with them; what is left comes after the end.
@usableFromInline struct ChunkedTail<Input, Output, Failure: Error>: Tail {
    @usableFromInline let limit: Int

    @usableFromInline let belongTogether: (Input, Input) -> Bool

    @usableFromInline let makeChunk: ([Input]) -> Output

    @usableFromInline var values: [Input] = []

    @inlinable init(
        limit: Int, belongTogether: @escaping (Input, Input) -> Bool, makeChunk: @escaping ([Input]) -> Output
    ) {
        self.limit = limit
        self.belongTogether = belongTogether
        self.makeChunk = makeChunk
    }

    @inlinable var name: StaticString { "Chunked" }

    @inlinable var asksAgain: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> Output? {
        if let last = values.last, values.count == limit || !belongTogether(last, input) {
            return makeChunk(exchange(&values, with: [input]))
        }
        values.append(input)
        return nil
    }

    @inlinable func end(
        _ completion: Subscribers.Completion<Failure>
    ) -> (last: Output?, completion: Subscribers.Completion<Failure>) {
        if case .finished = completion, !values.isEmpty { return (makeChunk(values), completion) }
        return (nil, completion)
    }
}
