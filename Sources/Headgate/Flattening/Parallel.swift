import HeadgateEngine

extension Publisher {
    /// Processes several values at the same time.
    ///
    /// An upstream that can't wait, such as a subject, drops what it publishes while all rails are occupied: put
    /// `buffer` before this operator to keep it.
    ///
    /// ```
    /// self         1--2--3--4--|
    /// first rail   [----][----]
    /// second rail     [----][----]
    /// sequential   -----1--2--3--4|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// let queue = DispatchQueue(label: "work", attributes: .concurrent)
    /// let squares = (1...100).publisher
    ///     .parallel(4).run(on: queue)
    ///     .map { $0 * $0 }
    ///     .sequential(ordered: true)
    /// for await square in squares.prefix(3).values { print(square) }
    /// // 1
    /// // 4
    /// // 9
    /// ```
    ///
    /// The operators between `parallel` and `sequential` process each value by itself, with as many values at a time as
    /// there are rails, on the scheduler of `run(on:)`, which has to be concurrent for that. They can't keep state from
    /// one value to the next.
    ///
    /// - **Demand**: that of ``ParallelStream/sequential(ordered:prefetch:)``, which requests from upstream.
    /// - **Completion**: finishes when upstream has finished and its values have been processed.
    /// - **Complexity**: that of ``ParallelStream/sequential(ordered:prefetch:)``.
    /// - **Threads**: those of the scheduler of `run(on:)`; without it, upstream's, one value after the other.
    ///
    /// - Parameter rails: The maximum number of values processed at the same time: at least one; traps otherwise.
    @inlinable public func parallel(_ rails: Int) -> ParallelStream<Self, Output> {
        requireLimit(rails, "parallel(_:)")
        return ParallelStream(upstream: self, rails: rails, work: .here({ $0 }, isUnchanged: true))
    }
}

/// A pipeline that processes several values of a publisher at the same time.
public struct ParallelStream<Upstream: Publisher, Output> {
    /// The upstream publisher.
    public let upstream: Upstream

    /// The maximum number of values processed at the same time.
    public let rails: Int

    @usableFromInline let work: ParallelWork<Upstream.Output, Output, Upstream.Failure>

    @inlinable init(
        upstream: Upstream, rails: Int, work: ParallelWork<Upstream.Output, Output, Upstream.Failure>
    ) {
        self.upstream = upstream
        self.rails = rails
        self.work = work
    }

    /// Runs the following operators on a scheduler, in at most one job per rail at a time.
    ///
    /// A job processes one value after the other, up to sixteen; then other work of the scheduler has its turn.
    @preconcurrency @inlinable public func run<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> ParallelStream<Upstream, Output> where Output: Sendable {
        ParallelStream(upstream: upstream, rails: rails, work: work.continued(on: scheduler, options: options))
    }

    /// Transforms each value.
    @preconcurrency @inlinable public func map<T>(
        _ transform: @escaping @Sendable (Output) -> T
    ) -> ParallelStream<Upstream, T> {
        compactMap { transform($0) }
    }

    /// Transforms each value, and drops `nil` results.
    @preconcurrency @inlinable public func compactMap<T>(
        _ transform: @escaping @Sendable (Output) -> T?
    ) -> ParallelStream<Upstream, T> {
        ParallelStream<Upstream, T>(upstream: upstream, rails: rails, work: work.compactMap(transform))
    }

    /// Drops the values that do not satisfy a predicate.
    @preconcurrency @inlinable public func filter(
        _ isIncluded: @escaping @Sendable (Output) -> Bool
    ) -> ParallelStream<Upstream, Output> {
        compactMap { isIncluded($0) ? $0 : nil }
    }

    /// Transforms each value into a publisher; its rail is occupied until that publisher has finished.
    @preconcurrency @inlinable public func flatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> ParallelStream<Upstream, P.Output> where P.Failure == Upstream.Failure {
        let publisher = work.publisher
        return ParallelStream<Upstream, P.Output>(
            upstream: upstream, rails: rails, work: .publishers { AnyPublisher(publisher($0).flatMap(transform)) })
    }

    /// Publishes the results one by one.
    ///
    /// - **Demand**: after the first request, requests one value per rail from upstream, and the next each time a rail
    ///   becomes free. A result that waits for demand occupies its rail. Without `run(on:)` and `flatMap`, requests what
    ///   is requested of it.
    /// - **Completion**: finishes when upstream and all work have finished. A failure follows the results of the values
    ///   before it, unless they are not ordered and there is a `flatMap`: then it ends the stream at once. Either way it
    ///   cancels the other work.
    /// - **Threads**: a result is delivered on the thread that has finished it, or on that of the result or the request
    ///   that it has waited for.
    /// - **Complexity**: some locks per value, where there is one `run(on:)` and nothing before it; otherwise, and after
    ///   a `flatMap`, also a publisher and a job per value, for work that takes many microseconds.
    ///
    /// - Parameters:
    ///   - ordered: Whether results are published in the order of their input values, rather than as they arrive.
    ///   - prefetch: How many results of one value may be buffered when the results are ordered: at least one; traps
    ///     otherwise.
    @inlinable public func sequential(ordered: Bool, prefetch: Int = 16) -> AnyPublisher<Output, Upstream.Failure> {
        requireLimit(prefetch, "sequential(ordered:prefetch:)")
        switch work {
        case .here(let work, _): return upstream.compactMap(serially(work)).eraseToAnyPublisher()
        case .jobs(let schedule, let work):
            return upstream.processed(in: schedule, rails: rails, isOrdered: ordered, work)
        case .publishers(let publisher):
            if ordered {
                return upstream.flatMapSequential(maxConcurrent: rails, prefetch: prefetch, serially(publisher))
                    .eraseToAnyPublisher()
            }
            return upstream.flatMap(maxPublishers: .max(rails), serially(publisher)).eraseToAnyPublisher()
        }
    }
}
