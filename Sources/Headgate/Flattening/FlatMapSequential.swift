import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Makes a publisher of each value, lets several of them go at a time, and publishes what they publish in the order of
    /// the values.
    ///
    /// ```
    /// self               1--2-------------------|
    /// flatMapSequential  -----a--b--|
    ///                       a--b--|
    ///                    -----1a-1b-(2a2b)------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [3, 2].publisher
    ///     .flatMapSequential(maxConcurrent: 2) { (1...$0).publisher }
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3, 1, 2]
    /// ```
    ///
    /// What is published is what `concatMap` publishes. It is there sooner, for publishers work while others are delivered.
    ///
    /// - **Demand**: upstream is requested `maxConcurrent` values, and one more whenever the oldest publisher has finished
    ///   and been delivered. Each publisher is requested `prefetch` values, and one more for each that is delivered.
    /// - **Completion**: finishes when upstream and all publishers have finished. A failure waits for its place: the values
    ///   ahead of it are delivered first, and then the others are cancelled.
    /// - **Complexity**: constant time per value and publisher; memory for at most `maxConcurrent` × `prefetch` values.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many publishers may be going at a time: at least one, or it is a programmer's error and traps.
    ///   - prefetch: How many values of each may wait: at least one, or it traps.
    ///   - transform: Makes a publisher of each value. Called on the thread that delivers the value.
    @inlinable public func flatMapSequential<P: Publisher & StrictlySendableMetatype>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapSequential<P, Self> where P.Failure == Failure {
        Publishers.FlatMapSequential(
            upstream: self, maxConcurrent: maxConcurrent, prefetch: prefetch, transform: transform)
    }

    /// Makes a publisher that never fails of each value, lets several of them go at a time, and publishes what they publish
    /// in the order of the values.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMapSequential(maxConcurrent:prefetch:_:)` with equal
    /// failures.
    @inlinable public func flatMapSequential<P: Publisher & StrictlySendableMetatype>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapSequential<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flatMapSequential(maxConcurrent: maxConcurrent, prefetch: prefetch) {
            transform($0).setFailureType(to: Failure.self)
        }
    }
}

extension Publisher where Failure == Never {
    /// Makes a publisher that may fail of each value of one that never does, lets several of them go at a time, and
    /// publishes what they publish in the order of the values.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMapSequential(maxConcurrent:prefetch:_:)` with equal
    /// failures.
    @inlinable public func flatMapSequential<P: Publisher & StrictlySendableMetatype>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapSequential<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flatMapSequential(
            maxConcurrent: maxConcurrent, prefetch: prefetch, transform)
    }

    /// Makes a publisher of each value, lets several of them go at a time, and publishes what they publish in the order of
    /// the values, where nothing can fail.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `flatMapSequential(maxConcurrent:prefetch:_:)` with equal
    /// failures.
    @inlinable public func flatMapSequential<P: Publisher & StrictlySendableMetatype>(
        maxConcurrent: Int, prefetch: Int = 16, _ transform: @escaping StreamClosure<Output, P>
    ) -> Publishers.FlatMapSequential<P, Self> where P.Failure == Never {
        Publishers.FlatMapSequential(
            upstream: self, maxConcurrent: maxConcurrent, prefetch: prefetch, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what the publishers made of another one's values publish, in the order of these values.
    public struct FlatMapSequential<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The values of the publishers that are made.
        public typealias Output = NewPublisher.Output

        /// The errors of upstream, and of the publishers that are made.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are made into publishers.
        public let upstream: Upstream

        /// How many publishers may be going at a time.
        public let maxConcurrent: Int

        /// How many values of each may wait.
        public let prefetch: Int

        /// What makes a publisher of each value.
        public let transform: StreamClosure<Upstream.Output, NewPublisher>

        /// Makes the publisher that `flatMapSequential(maxConcurrent:prefetch:_:)` returns.
        @inlinable public init(
            upstream: Upstream, maxConcurrent: Int, prefetch: Int,
            transform: @escaping StreamClosure<Upstream.Output, NewPublisher>
        ) {
            requireLimit(maxConcurrent, "flatMapSequential(maxConcurrent:)")
            requireLimit(prefetch, "flatMapSequential(prefetch:)")
            self.upstream = upstream
            self.maxConcurrent = maxConcurrent
            self.prefetch = prefetch
            self.transform = transform
        }

        /// Connects a subscriber to the publishers that will be made.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            SequentialConduit.connect(upstream, limit: maxConcurrent, prefetch: prefetch, to: subscriber) {
                [transform] input, inlet in
                transform(input).receive(subscriber: inlet)
            }
        }
    }
}

extension Publishers.FlatMapSequential: StrictlySendable where Upstream: StrictlySendable {}
