import HeadgateEngine

extension Publisher {
    /// Transforms each value with an asynchronous closure, at most `maxConcurrent` values at a time.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while `maxConcurrent` values are under
    /// way, or before the first demand: put `buffer` before this operator to keep it.
    ///
    /// ```
    /// self       1---2-------3---|
    /// work on 1  [---------]
    /// work on 2      [-----]
    /// work on 3              [-----]
    /// asyncMap   ----------(12)----3|     maxConcurrent: 2
    /// ```
    ///
    /// ```swift
    /// for await square in (1...3).publisher.asyncMap(maxConcurrent: 2, { $0 * $0 }).values {
    ///     print(square)
    /// }
    /// // 1
    /// // 4
    /// // 9
    /// ```
    ///
    /// The closure runs in tasks that inherit the subscriber's task-local values. They are cancelled when the stream
    /// is, and when one of them fails.
    ///
    /// - **Demand**: requests nothing before the first demand. From then on, up to `maxConcurrent` values are under
    ///   way, however few results are requested at a time: a result waits until it is requested and, unless `ordered`
    ///   is `false`, until those of earlier values have been delivered. Another value is requested for each delivered
    ///   result. So a loop that takes one result at a time keeps all tasks at work.
    /// - **Completion**: finishes when upstream has finished and the last result has been delivered; a failure of
    ///   upstream waits for the results, too. An error that the closure throws becomes a failure, with its type where
    ///   the failure types allow it: the running work and upstream are cancelled at once, and the stream fails after
    ///   those earlier results that were only waiting for demand.
    /// - **Complexity**: constant time per value, under a lock that is held for a moment several times. A task is
    ///   suspended while there is no value for it, and no more tasks are started than have been needed at the same
    ///   time, even a hundred thousand.
    /// - **Threads**: the closure runs in tasks, up to `maxConcurrent` at a time, and not on the caller's actor.
    ///   Results are delivered on the thread of the task that made them due, of one that is delivering already, or of a
    ///   request for which they have waited, which leaves what becomes due meanwhile to a task that has nothing to do.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value.
    @inlinable public func asyncMap<T>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> Publishers.AsyncMap<Self, T, Failure> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(Failure) in pass(try await transform(value))
        }
    }

    /// Transforms each value with an asynchronous closure that may throw any error.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for a closure that throws upstream's failure
    ///   type.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMap<Self, T, any Error> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(any Error) in pass(try await transform(value))
        }
    }

    /// Transforms each value with an asynchronous closure, and publishes the non-`nil` results.
    ///
    /// ```
    /// self             1----a----3----|
    /// work             [-]--[-]--[-]
    /// asyncCompactMap  --1---------3--|     number
    /// ```
    ///
    /// ```swift
    /// for await length in ["a", "bcd"].publisher.asyncCompactMap({ $0.count > 1 ? $0.count : nil }).values {
    ///     print(length)
    /// }
    /// // 3
    /// ```
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`. For each dropped value, another
    ///   is requested from upstream.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value, or returns `nil` to drop it.
    @inlinable public func asyncCompactMap<T>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T?
    ) -> Publishers.AsyncMap<Self, T, Failure> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(Failure) in if let result = try await transform(value) { pass(result) }
        }
    }

    /// Transforms each value with an asynchronous closure that may throw any error, and publishes the non-`nil`
    /// results.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value, or returns `nil` to drop it.
    @_disfavoredOverload
    @inlinable public func asyncCompactMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T?
    ) -> Publishers.AsyncMap<Self, T, any Error> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(any Error) in if let result = try await transform(value) { pass(result) }
        }
    }

    /// Publishes the values for which an asynchronous closure returns `true`.
    ///
    /// ```
    /// self         1----2----3----4----|
    /// work         [-]--[-]--[-]--[-]
    /// asyncFilter  -------2---------4--|     even
    /// ```
    ///
    /// ```swift
    /// for await number in (1...4).publisher.asyncFilter({ $0.isMultiple(of: 2) }).values { print(number) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`. For each dropped value, another
    ///   is requested from upstream.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values checked at a time. A number below one traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether to forward a value.
    @inlinable public func asyncFilter(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ isIncluded: @escaping @Sendable (Output) async throws(Failure) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, Failure> where Output: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(Failure) in if try await isIncluded(value) { pass(value) }
        }
    }

    /// Publishes the values for which an asynchronous closure that may throw any error returns `true`.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values checked at a time. A number below one traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether to forward a value.
    @_disfavoredOverload
    @inlinable public func asyncFilter<E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ isIncluded: @escaping @Sendable (Output) async throws(E) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, any Error> where Output: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(any Error) in if try await isIncluded(value) { pass(value) }
        }
    }
}

// Disfavoured, so that a client's own declarations with these names are preferred.
extension Publisher where Failure == Never {
    /// Transforms each value with an asynchronous closure, and fails with the error that it throws.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap` on a publisher that may fail.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMap<Self, T, E> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(E) in pass(try await transform(value))
        }
    }

    /// Transforms each value with an asynchronous closure, publishes the non-`nil` results, and fails with the error
    /// that it throws.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values processed at a time. A number below one traps.
    ///   - ordered: Whether results are delivered in the order of the values.
    ///   - transform: Transforms a value, or returns `nil` to drop it.
    @_disfavoredOverload
    @inlinable public func asyncCompactMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T?
    ) -> Publishers.AsyncMap<Self, T, E> where Output: Sendable, T: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(E) in if let result = try await transform(value) { pass(result) }
        }
    }

    /// Publishes the values for which an asynchronous closure returns `true`, and fails with the error that it throws.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The maximum number of values checked at a time. A number below one traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether to forward a value.
    @_disfavoredOverload
    @inlinable public func asyncFilter<E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ isIncluded: @escaping @Sendable (Output) async throws(E) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, E> where Output: Sendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value, pass async throws(E) in if try await isIncluded(value) { pass(value) }
        }
    }
}

extension Publishers {
    /// A publisher that transforms upstream's values with an asynchronous closure.
    public struct AsyncMap<Upstream: Publisher, Output, Failure: Error>: Publisher {
        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of values processed at a time.
        public let maxConcurrent: Int

        /// Whether results are delivered in the order of the values.
        public let ordered: Bool

        /// Whether values are processed before their results are requested.
        @usableFromInline let worksAhead: Bool

        @usableFromInline let translate: @Sendable (Upstream.Failure) -> Failure

        @usableFromInline let work: @Sendable (Upstream.Output, (Output) -> Void) async throws(Failure) -> Void

        @inlinable init(
            upstream: Upstream, _ maxConcurrent: Int, _ ordered: Bool, worksAhead: Bool = true,
            translate: @escaping @Sendable (Upstream.Failure) -> Failure,
            work: @escaping @Sendable (Upstream.Output, (Output) -> Void) async throws(Failure) -> Void
        ) {
            checkMaxConcurrent(maxConcurrent)
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.ordered = ordered
            self.worksAhead = worksAhead
            self.translate = translate
            self.work = work
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { _ = connect(subscriber) }

        /// Connects a subscriber.
        ///
        /// - Returns: The conduit, and a task that ends after all tasks of the stream have ended.
        @inlinable func connect(
            _ subscriber: some Subscriber<Output, Failure>
        ) -> (WorkConduit<Upstream.Output, Output, Failure>, Task<Void, Never>) {
            let conduit = WorkConduit<Upstream.Output, Output, Failure>(
                limit: maxConcurrent, isOrdered: ordered, worksAhead: worksAhead, AnySubscriber(subscriber))
            let task = conduit.start(work)
            upstream.receive(
                subscriber: WorkInlet<Upstream.Output, Upstream.Failure, Output, Failure>(
                    conduit, name: "AsyncMap", translate: translate))
            return (conduit, task)
        }
    }
}

extension Publishers.AsyncMap: Sendable where Upstream: Sendable {}

/// Traps unless at least one value may be processed at a time.
@usableFromInline func checkMaxConcurrent(_ maxConcurrent: Int) {
    require(
        maxConcurrent > 0, rule: "At least one value must be processed at a time.",
        found: "maxConcurrent: \(maxConcurrent)", remedy: "Pass 1 to process values one after the other.")
}
