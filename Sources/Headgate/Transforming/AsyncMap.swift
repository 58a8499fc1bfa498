import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes what an asynchronous closure makes of each value, with so many at work at a time.
    ///
    /// ```
    /// self      1---2-------3---|
    /// work      [--- 1 ---]
    /// work          [- 2 -]     [- 3 -]
    /// asyncMap  ----------(12)--------3|     maxConcurrent: 2
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
    /// The closure runs in tasks with the task-locals of the place of subscription. They are cancelled when the stream is,
    /// and when one of them fails.
    ///
    /// - **Demand**: upstream is requested for no more values than have been requested of this and can be at work. So no
    ///   result waits for demand; a result that is ready before those of earlier values waits for them, unless
    ///   `ordered` is `false`.
    /// - **Completion**: finishes when upstream has finished and the last result has been delivered; a failure of upstream
    ///   waits for the results, too. An error that the closure throws is a failure, and keeps its type where the types of
    ///   failures allow it: the stream ends at once, what is at work is cancelled, and so is upstream.
    /// - **Complexity**: four short locks per value. A task is suspended where there is no value for it, and no more tasks
    ///   are started than have ever been needed at a time.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value.
    @inlinable public func asyncMap<T>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T
    ) -> Publishers.AsyncMap<Self, T, Failure> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(Failure) in .value(try await transform(value))
        }
    }

    /// Publishes what an asynchronous closure that may throw anything makes of each value.
    ///
    /// - **Demand**, **Completion** and **Complexity** are those of `asyncMap` whose closure throws the failure of
    ///   upstream.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMap<Self, T, any Error> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(any Error) in .value(try await transform(value))
        }
    }

    /// Publishes what an asynchronous closure makes of each value, leaving out each `nil`.
    ///
    /// ```
    /// self             1----a----3----|
    /// asyncCompactMap  number
    ///                  --1---------3--|
    /// ```
    ///
    /// ```swift
    /// for await length in ["a", "bcd"].publisher.asyncCompactMap({ $0.count > 1 ? $0.count : nil }).values {
    ///     print(length)
    /// }
    /// // 3
    /// ```
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`. For a value that is left out, upstream is
    ///   requested for another.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value, or `nil`.
    @inlinable public func asyncCompactMap<T>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ transform: @escaping @Sendable (Output) async throws(Failure) -> T?
    ) -> Publishers.AsyncMap<Self, T, Failure> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(Failure) in try await transform(value).map { .value($0) } ?? .skip
        }
    }

    /// Publishes what an asynchronous closure that may throw anything makes of each value, leaving out each `nil`.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value, or `nil`.
    @_disfavoredOverload
    @inlinable public func asyncCompactMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T?
    ) -> Publishers.AsyncMap<Self, T, any Error> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(any Error) in try await transform(value).map { .value($0) } ?? .skip
        }
    }

    /// Publishes the values for which an asynchronous closure answers yes.
    ///
    /// ```
    /// self         1----2----3----4----|
    /// asyncFilter  even
    ///              -------2---------4--|
    /// ```
    ///
    /// ```swift
    /// for await number in (1...4).publisher.asyncFilter({ $0.isMultiple(of: 2) }).values { print(number) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`. For a value that is left out, upstream is
    ///   requested for another.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are looked at at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether a value goes on.
    @inlinable public func asyncFilter(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ isIncluded: @escaping @Sendable (Output) async throws(Failure) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, Failure> where Output: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(Failure) in try await isIncluded(value) ? .value(value) : .skip
        }
    }

    /// Publishes the values for which an asynchronous closure that may throw anything answers yes.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are looked at at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether a value goes on.
    @_disfavoredOverload
    @inlinable public func asyncFilter<E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ isIncluded: @escaping @Sendable (Output) async throws(E) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, any Error> where Output: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: { $0 }) {
            value async throws(any Error) in try await isIncluded(value) ? .value(value) : .skip
        }
    }
}

// Disfavoured, so that what a client's own module declares under these names goes first.
extension Publisher where Failure == Never {
    /// Publishes what an asynchronous closure makes of each value, and fails as it does.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap` of a publisher that may fail.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value.
    @_disfavoredOverload
    @inlinable public func asyncMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T
    ) -> Publishers.AsyncMap<Self, T, E> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: nil) {
            value async throws(E) in .value(try await transform(value))
        }
    }

    /// Publishes what an asynchronous closure makes of each value, leaving out each `nil`, and fails as it does.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are worked on at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether results come in the order of the values.
    ///   - transform: Makes a result of a value, or `nil`.
    @_disfavoredOverload
    @inlinable public func asyncCompactMap<T, E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true, _ transform: @escaping @Sendable (Output) async throws(E) -> T?
    ) -> Publishers.AsyncMap<Self, T, E> where Output: StrictlySendable, T: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: nil) {
            value async throws(E) in try await transform(value).map { .value($0) } ?? .skip
        }
    }

    /// Publishes the values for which an asynchronous closure answers yes, and fails as it does.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with `asyncMap`.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many values are looked at at a time. A number below one is a programmer's error and traps.
    ///   - ordered: Whether values keep their order.
    ///   - isIncluded: Whether a value goes on.
    @_disfavoredOverload
    @inlinable public func asyncFilter<E: Error>(
        maxConcurrent: Int = 1, ordered: Bool = true,
        _ isIncluded: @escaping @Sendable (Output) async throws(E) -> Bool
    ) -> Publishers.AsyncMap<Self, Output, E> where Output: StrictlySendable {
        Publishers.AsyncMap(upstream: self, maxConcurrent, ordered, translate: nil) {
            value async throws(E) in try await isIncluded(value) ? .value(value) : .skip
        }
    }
}

extension Publishers {
    /// A publisher of what an asynchronous closure makes of the values of another publisher.
    public struct AsyncMap<Upstream: Publisher, Output, Failure: Error>: Publisher {
        /// The publisher of the values that are worked on.
        public let upstream: Upstream

        /// How many values are worked on at a time.
        public let maxConcurrent: Int

        /// Whether results come in the order of the values.
        public let ordered: Bool

        /// `nil` where upstream can't fail.
        @usableFromInline let translate: StreamClosure<Upstream.Failure, Failure>?

        @usableFromInline let work: @Sendable (Upstream.Output) async throws(Failure) -> WorkResult<Output, Failure>

        @inlinable init(
            upstream: Upstream, _ maxConcurrent: Int, _ ordered: Bool,
            translate: StreamClosure<Upstream.Failure, Failure>?,
            work: @escaping @Sendable (Upstream.Output) async throws(Failure) -> WorkResult<Output, Failure>
        ) {
            if maxConcurrent < 1 {
                programmerError(
                    rule: "At least one value is worked on at a time.", found: "maxConcurrent: \(maxConcurrent)",
                    remedy: "Pass 1 to work on one value after the other.")
            }
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.ordered = ordered
            self.translate = translate
            self.work = work
        }

        /// Connects a subscriber to tasks of its own.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) { _ = connect(subscriber) }

        /// Connects a subscriber.
        ///
        /// - Returns: The conduit, and the task that ends when all tasks of the stream have.
        @inlinable func connect(
            _ subscriber: some Subscriber<Output, Failure>
        ) -> (WorkConduit<Upstream.Output, Output, Failure>, Task<Void, Never>) {
            let conduit = WorkConduit<Upstream.Output, Output, Failure>(
                limit: maxConcurrent, isOrdered: ordered, AnySubscriber(subscriber)
            ) { [work] value in
                do throws(Failure) {
                    return try await work(value)
                } catch {
                    return .failure(error)
                }
            }
            let task = conduit.start()
            upstream.receive(
                subscriber: WorkInlet<Upstream.Output, Upstream.Failure, Output, Failure>(
                    conduit, name: "AsyncMap", translate: translate))
            return (conduit, task)
        }
    }
}

extension Publishers.AsyncMap: StrictlySendable where Upstream: StrictlySendable {}
