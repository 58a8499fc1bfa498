import HeadgateEngine

extension Publisher {
    /// Transforms each value with an asynchronous closure, values with different keys at the same time, and those with
    /// the same key one after the other.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while `maxConcurrent` values are under
    /// way, or before the first demand: put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self        1a--2a--1b--------|
    /// work on 1a  [---------]
    /// work on 2a            [-------]
    /// work on 1b          [-----]
    /// asyncMap    ----------1a------(2a1b)|     by: letter
    /// ```
    ///
    /// ```swift
    /// let payments = ["ada 5", "bob 3", "ada 2"].publisher
    /// for await line in payments.asyncMap(maxConcurrent: 8, by: { $0.prefix(3) }, { "booked " + $0 }).values {
    ///     print(line)
    /// }
    /// // booked ada 5
    /// // booked bob 3
    /// // booked ada 2
    /// ```
    ///
    /// Work on a value begins when that on the value with the same key before it has ended. A value that waits for
    /// that counts as under way.
    ///
    /// - **Demand**: as for `asyncMap(maxConcurrent:ordered:_:)`.
    /// - **Completion**: as for `asyncMap`. When work on a value fails, or the stream is cancelled, no work on a waiting
    ///   value begins.
    /// - **Threads**: the key is computed on the thread on which upstream delivers; `transform` runs in tasks, and not
    ///   on the caller's actor. Results are delivered as by `asyncMap`.
    /// - **Complexity**: as for `asyncMap`, one more step, one allocation per value, and two look-ups of its key. Memory
    ///   is that of the keys that are under way.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values that are under way at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values; those with the same key are in any case.
    ///   - key: The key of a value; called as upstream delivers.
    ///   - transform: Transforms a value.
    @inlinable public func asyncMap<Key: Hashable & Sendable, T>(
        maxConcurrent: Int, ordered: Bool = true, by key: @escaping @Sendable (Output) -> Key,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> Publishers.AsyncMapByKey<Self, Key, T, Failure> where Output: Sendable, T: Sendable {
        Publishers.AsyncMapByKey(
            upstream: self, maxConcurrent, ordered, key, translate: { $0 }, transform: transform)
    }

    /// Transforms each value with an asynchronous closure that may throw any error, values with the same key one after
    /// the other.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a closure that throws upstream's failure
    ///   type.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values that are under way at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - key: The key of a value; called as upstream delivers.
    ///   - transform: Transforms a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<Key: Hashable & Sendable, T, E: Error>(
        maxConcurrent: Int, ordered: Bool = true, by key: @escaping @Sendable (Output) -> Key,
        _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMapByKey<Self, Key, T, any Error> where Output: Sendable, T: Sendable {
        Publishers.AsyncMapByKey(upstream: self, maxConcurrent, ordered, key, translate: { $0 }) {
            value async throws(any Error) in try await transform(value)
        }
    }
}

// Disfavoured, so that a client's own declarations with these names are preferred.
extension Publisher where Failure == Never {
    /// Transforms each value with an asynchronous closure, values with the same key one after the other, and fails with
    /// the error that it throws.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a publisher that may fail.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values that are under way at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - key: The key of a value; called as upstream delivers.
    ///   - transform: Transforms a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<Key: Hashable & Sendable, T, E: Error>(
        maxConcurrent: Int, ordered: Bool = true, by key: @escaping @Sendable (Output) -> Key,
        _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMapByKey<Self, Key, T, E> where Output: Sendable, T: Sendable {
        Publishers.AsyncMapByKey(upstream: self, maxConcurrent, ordered, key, translate: { $0 }, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms upstream's values with an asynchronous closure, those with the same key one after
    /// the other.
    public struct AsyncMapByKey<Upstream: Publisher, Key: Hashable & Sendable, Output, Failure: Error>: Publisher {
        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of values that are under way at a time.
        public let maxConcurrent: Int

        /// Whether results are delivered in the order of the values.
        public let ordered: Bool

        /// The key of a value.
        public let key: @Sendable (Upstream.Output) -> Key

        @usableFromInline let translate: @Sendable (Upstream.Failure) -> Failure

        @usableFromInline let transform: @Sendable (Upstream.Output) async throws(Failure) -> Output

        @inlinable init(
            upstream: Upstream, _ maxConcurrent: Int, _ ordered: Bool,
            _ key: @escaping @Sendable (Upstream.Output) -> Key,
            translate: @escaping @Sendable (Upstream.Failure) -> Failure,
            transform: @escaping @Sendable (Upstream.Output) async throws(Failure) -> Output
        ) {
            checkMaxConcurrent(maxConcurrent)
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.ordered = ordered
            self.key = key
            self.translate = translate
            self.transform = transform
        }

        /// Connects a subscriber through one conduit.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let turns = KeyTurns<Key>()
            let makeKey = self.key
            let values = upstream.map { value in
                let key = makeKey(value)
                return (value: value, key: key, turn: turns.next(key))
            }
            AsyncMap(upstream: values, maxConcurrent, ordered, translate: translate) {
                [transform] input, pass async throws(Failure) in
                await input.turn.begin()
                defer { turns.finish(input.turn, of: input.key) }
                // The work before it may have ended the stream.
                if !Task.isCancelled { pass(try await transform(input.value)) }
            }
            .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.AsyncMapByKey: Sendable where Upstream: Sendable {}
