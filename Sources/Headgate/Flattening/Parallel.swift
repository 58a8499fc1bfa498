import HeadgateCombine
import HeadgateCore
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
    /// - **Complexity**: one small publisher per value.
    /// - **Threads**: those of the scheduler of `run(on:)`; without it, upstream's.
    ///
    /// - Parameter rails: The maximum number of values processed at the same time: at least one; traps otherwise.
    @inlinable public func parallel(_ rails: Int) -> ParallelStream<Self, Output> {
        requireLimit(rails, "parallel(_:)")
        return ParallelStream(upstream: self, rails: rails) { .value($0) }
    }
}

/// A pipeline that processes several values of a publisher at the same time.
public struct ParallelStream<Upstream: Publisher, Output> {
    /// The upstream publisher.
    public let upstream: Upstream

    /// The maximum number of values processed at the same time.
    public let rails: Int

    @usableFromInline typealias Rail<Value> = RailPublisher<Value, Upstream.Failure>

    @usableFromInline let work: @Sendable (Upstream.Output) -> Rail<Output>

    @inlinable init(
        upstream: Upstream, rails: Int, work: @escaping @Sendable (Upstream.Output) -> Rail<Output>
    ) {
        self.upstream = upstream
        self.rails = rails
        self.work = work
    }

    /// Adds a stage that turns each value into at most one, wherever that is done.
    @inlinable func adding<T>(_ transform: @escaping (Output) -> T?) -> ParallelStream<Upstream, T> {
        ParallelStream<Upstream, T>(
            upstream: upstream, rails: rails,
            work: serially { [work] in
                switch work($0) {
                case .value(let value): transform(value).map { .value($0) } ?? .nothing
                case .nothing: .nothing
                case .job(let job): .job(job.compactMap(transform))
                case .publisher(let publisher): .publisher(AnyPublisher(publisher.compactMap(serially(transform))))
                }
            })
    }

    /// Runs the following operators on a scheduler, one job per value.
    @preconcurrency @inlinable public func run<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> ParallelStream<Upstream, Output> where Output: Sendable {
        ParallelStream(
            upstream: upstream, rails: rails,
            work: serially { [work] in
                switch work($0) {
                case .value(let value): .job(RailJob(value, on: scheduler, options: options))
                case .nothing: .nothing
                case .job(let job): .job(job.continued(on: scheduler, options: options))
                case .publisher(let publisher):
                    .publisher(AnyPublisher(publisher.receive(on: scheduler, options: options)))
                }
            })
    }

    /// Transforms each value.
    @preconcurrency @inlinable public func map<T>(_ transform: @escaping @Sendable (Output) -> T) -> ParallelStream<
        Upstream, T
    > {
        adding { transform($0) }
    }

    /// Transforms each value, and drops `nil` results.
    @preconcurrency @inlinable public func compactMap<T>(_ transform: @escaping @Sendable (Output) -> T?)
        -> ParallelStream<
            Upstream, T
        >
    {
        adding(transform)
    }

    /// Drops the values that do not satisfy a predicate.
    @preconcurrency @inlinable public func filter(_ isIncluded: @escaping @Sendable (Output) -> Bool) -> ParallelStream<
        Upstream, Output
    > {
        adding { isIncluded($0) ? $0 : nil }
    }

    /// Transforms each value into a publisher; its rail is occupied until that publisher has finished.
    @preconcurrency @inlinable public func flatMap<P: Publisher>(
        _ transform: @escaping @Sendable (Output) -> P
    ) -> ParallelStream<Upstream, P.Output> where P.Failure == Upstream.Failure {
        ParallelStream<Upstream, P.Output>(
            upstream: upstream, rails: rails,
            work: serially { [work] in
                switch work($0) {
                case .value(let value): .publisher(AnyPublisher(transform(value)))
                case .nothing: .nothing
                case let rail: .publisher(AnyPublisher(rail.flatMap(transform)))
                }
            })
    }

    /// Publishes the results one by one.
    ///
    /// - **Demand**: requests one value per rail from upstream, and the next each time a rail becomes free. A result
    ///   that waits for demand occupies its rail.
    /// - **Completion**: finishes when upstream and all work have finished. When ordered, a failure waits for its
    ///   place; otherwise it ends the stream at once. Either way it cancels the other work.
    /// - **Threads**: a result is delivered on the thread that has finished it, or on that of the result or the request
    ///   that it has waited for.
    /// - **Complexity**: a few objects and one job of the scheduler per value: meant for work that takes many
    ///   microseconds.
    ///
    /// - Parameters:
    ///   - ordered: Whether results are published in the order of their input values, rather than as they arrive.
    ///   - prefetch: How many results of one value may be buffered when the results are ordered: at least one; traps
    ///     otherwise.
    @inlinable public func sequential(ordered: Bool, prefetch: Int = 16) -> AnyPublisher<Output, Upstream.Failure> {
        if ordered {
            return upstream.flatMapSequential(maxConcurrent: rails, prefetch: prefetch, work).eraseToAnyPublisher()
        }
        return upstream.flatMap(maxPublishers: .max(rails), work).eraseToAnyPublisher()
    }
}

/// What has become of one value on its rail: without `run(on:)`, it is there already, and nothing has to be subscribed to.
@usableFromInline enum RailPublisher<Output, Failure: Error>: Publisher {
    case value(Output)
    case nothing
    /// What is done elsewhere.
    case job(RailJob<Output>)
    case publisher(AnyPublisher<Output, Failure>)

    @inlinable var _soleValue: Output? {
        switch self {
        case .value(let value): value
        case .nothing, .job: nil
        case .publisher(let publisher): publisher._soleValue
        }
    }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        switch self {
        case .value(let value): Just(value).setFailureType(to: Failure.self).receive(subscriber: subscriber)
        case .nothing: subscriber.complete(with: .finished)
        case .job(let job): RailConduit(job, subscriber).send(to: subscriber)
        case .publisher(let publisher): publisher.receive(subscriber: subscriber)
        }
    }
}
