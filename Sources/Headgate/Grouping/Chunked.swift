import HeadgateEngine

extension Publisher {
    /// Publishes arrays of adjacent values that belong together.
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
    /// - **Demand**: requests one value from upstream per requested array, and one more for each value that completes
    ///   none.
    /// - **Completion**: finishes after the last array, which waits until it is requested. A failure is forwarded at
    ///   once, and the collected values are dropped.
    /// - **Complexity**: amortised constant time per value. Memory for one array: an input that never differs makes an
    ///   endless array, so pass a `limit` for untrusted input.
    /// - **Threads**: arrays are delivered on the thread on which upstream delivers, the last one possibly on that of
    ///   the request.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of values in an array; a longer one is published in pieces. At least one; traps
    ///     otherwise.
    ///   - belongTogether: Whether a value belongs in the same array as the previous one.
    @preconcurrency @inlinable public func chunked(
        limit: Int = .max, by belongTogether: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Chunked<Self, [Output]> {
        Publishers.Chunked(
            upstream: self, limit: limit, belongTogether: belongTogether, makeChunk: { $0 })
    }

    /// Publishes arrays of adjacent values with the same key, each with that key.
    ///
    /// ```swift
    /// let cancellable = ["ant", "ape", "bee"].publisher
    ///     .chunked { $0.prefix(1) }
    ///     .sink { print($0.0, $0.1) }
    /// // a ["ant", "ape"]
    /// // b ["bee"]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `chunked(limit:by:)`. The closure is
    /// called twice per value.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of values in an array; a longer one is published in pieces. At least one; traps
    ///     otherwise.
    ///   - key: The key of a value.
    @preconcurrency @inlinable public func chunked<Key: Equatable & SendableMetatype>(
        limit: Int = .max, on key: @escaping @Sendable (Output) -> Key
    ) -> Publishers.Chunked<Self, (Key, [Output])> {
        Publishers.Chunked(
            upstream: self, limit: limit, belongTogether: { key($0) == key($1) }, makeChunk: { (key($0[0]), $0) })
    }
}

extension Publishers {
    /// A publisher of arrays of upstream's adjacent values that belong together.
    public struct Chunked<Upstream: Publisher, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of values in an array.
        public let limit: Int

        /// Whether a value belongs in the same array as the previous one.
        public let belongTogether: @Sendable (Upstream.Output, Upstream.Output) -> Bool

        @usableFromInline let makeChunk: @Sendable ([Upstream.Output]) -> Output

        @inlinable init(
            upstream: Upstream, limit: Int,
            belongTogether: @escaping @Sendable (Upstream.Output, Upstream.Output) -> Bool,
            makeChunk: @escaping @Sendable ([Upstream.Output]) -> Output
        ) {
            requireLimit(limit, "chunked(limit:)")
            self.upstream = upstream
            self.limit = limit
            self.belongTogether = belongTogether
            self.makeChunk = makeChunk
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let tail = ChunkedTail<Upstream.Output, Output, Failure>(
                limit: limit, belongTogether: belongTogether, makeChunk: makeChunk)
            upstream.receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.Chunked: Sendable where Upstream: Sendable {}

/// Collects values until one does not belong with them; the remaining values follow when upstream finishes.
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

    @inlinable var requestsAgain: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> Output? {
        if let last = values.last, values.count == limit || !belongTogether(last, input) {
            return makeChunk(exchange(&values, with: [input]))
        }
        values.append(input)
        return nil
    }

    @inlinable func finalValue(before completion: Subscribers.Completion<Failure>) -> Output? {
        if case .finished = completion, !values.isEmpty { makeChunk(values) } else { nil }
    }
}
