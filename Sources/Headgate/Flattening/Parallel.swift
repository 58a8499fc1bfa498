import HeadgateCombine
import HeadgateCore

extension Publisher {
    /// Lets several values be worked on at the same time.
    ///
    /// ```
    /// self         1--2--3--4--------|
    /// parallel     2, .run(on: queue)
    /// first        1-----3--------|
    /// second          2-----4-----|
    /// ```
    ///
    /// ```swift
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
    /// What stands between `parallel` and `sequential` is done for each value by itself, for as many values at a time as
    /// there are rails, on the scheduler of `run(on:)`, which has to be concurrent for that. It may not keep state from one
    /// value to the next.
    ///
    /// - Parameter rails: How many values may be worked on at a time: at least one, or it is a programmer's error and traps.
    @inlinable public func parallel(_ rails: Int) -> ParallelStream<Self, Output> {
        requireLimit(rails, "parallel(_:)")
        return ParallelStream(upstream: self, rails: rails) {
            AnyPublisher(hiding: Just($0).setFailureType(to: Failure.self))
        }
    }
}

/// Work that is done for several values of a publisher at the same time.
public struct ParallelStream<Upstream: Publisher, Output> {
    /// The publisher whose values are worked on.
    public let upstream: Upstream

    /// How many values may be worked on at a time.
    public let rails: Int

    @usableFromInline let work: StreamClosure<Upstream.Output, AnyPublisher<Output, Upstream.Failure>>

    @inlinable init(
        upstream: Upstream, rails: Int,
        work: @escaping StreamClosure<Upstream.Output, AnyPublisher<Output, Upstream.Failure>>
    ) {
        self.upstream = upstream
        self.rails = rails
        self.work = work
    }

    @inlinable func adding<P: Publisher>(
        _ stage: @escaping (AnyPublisher<Output, Upstream.Failure>) -> P
    ) -> ParallelStream<Upstream, P.Output> where P.Failure == Upstream.Failure {
        ParallelStream<Upstream, P.Output>(
            upstream: upstream, rails: rails, work: serially { [work] in AnyPublisher(hiding: stage(work($0))) })
    }

    /// Does what follows on a scheduler, one job for each value.
    @inlinable public func run<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> ParallelStream<Upstream, Output> where Output: StrictlySendable {
        adding { $0.receive(on: scheduler, options: options) }
    }

    /// Makes another value of each.
    @inlinable public func map<T>(_ transform: @escaping StreamClosure<Output, T>) -> ParallelStream<Upstream, T> {
        adding { $0.map(transform) }
    }

    /// Makes another value of each, or none.
    @inlinable public func compactMap<T>(_ transform: @escaping StreamClosure<Output, T?>) -> ParallelStream<
        Upstream, T
    > {
        adding { $0.compactMap(transform) }
    }

    /// Leaves out the values that do not meet a condition.
    @inlinable public func filter(_ isIncluded: @escaping StreamClosure<Output, Bool>) -> ParallelStream<
        Upstream, Output
    > {
        adding { $0.filter(isIncluded) }
    }

    /// Makes a publisher of each value; it is worked on until it has finished.
    @inlinable public func flatMap<P: Publisher>(
        _ transform: @escaping StreamClosure<Output, P>
    ) -> ParallelStream<Upstream, P.Output> where P.Failure == Upstream.Failure {
        adding { $0.flatMap(transform) }
    }

    /// Publishes the results one by one.
    ///
    /// - **Demand**: upstream is requested one value for each rail, and the next when a rail is free. A result waits for
    ///   demand and keeps its rail.
    /// - **Completion**: finishes when upstream and all work have. Ordered, a failure waits for its place; else it ends the
    ///   stream at once. Either way it cancels the other work.
    /// - **Complexity**: a few objects and a job of the scheduler per value: meant for work of many microseconds.
    ///
    /// - Parameters:
    ///   - ordered: Whether results are published in the order of the values that they were made of, and not as they come.
    ///   - prefetch: How many results of one value may wait for their turn, where they are ordered: at least one, or it
    ///     traps.
    @inlinable public func sequential(ordered: Bool, prefetch: Int = 16) -> AnyPublisher<Output, Upstream.Failure>
    where Upstream: StrictlySendable {
        if ordered {
            return upstream.flatMapSequential(maxConcurrent: rails, prefetch: prefetch, work).eraseToAnyPublisher()
        }
        return upstream.flatMap(maxPublishers: .max(rails), work).eraseToAnyPublisher()
    }
}
