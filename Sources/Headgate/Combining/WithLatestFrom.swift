import HeadgateEngine

extension Publisher {
    /// Combines each value with the most recent value of another publisher.
    ///
    /// Drops the values that arrive before the first one of the other publisher. To keep them, give the other publisher
    /// an initial value, with `prepend`, or use `combineLatest`.
    ///
    /// ```
    /// self            1---2-------3---|
    /// other           --a---b--c------|
    /// withLatestFrom  ----(2,a)---(3,c)|
    /// ```
    ///
    /// ```swift
    /// let taps = PassthroughSubject<String, Never>()
    /// let volume = CurrentValueSubject<Int, Never>(3)
    /// let cancellable = taps
    ///     .withLatestFrom(volume) { "\($0) at \($1)" }
    ///     .sink { print($0) }
    /// taps.send("tap")
    /// volume.send(7)
    /// taps.send("tap")
    /// // tap at 3
    /// // tap at 7
    /// ```
    ///
    /// - **Demand**: forwarded; one more value is requested for each dropped one. Requests unlimited values from the
    ///   other publisher before it requests anything from upstream.
    /// - **Completion**: that of upstream. Fails at once when the other publisher fails; when it finishes, its last
    ///   value stays in use.
    /// - **Threads**: a value is combined and delivered on the thread on which this publisher delivers it. The other
    ///   publisher may send on another thread: each waits for its turn, or leaves its value to the one that is
    ///   delivering if that takes long (rule 3.6 of the contract).
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameters:
    ///   - other: The publisher whose most recent value is used.
    ///   - resultSelector: Combines one value of each. Called on the thread that delivers upstream's value.
    @preconcurrency @inlinable public func withLatestFrom<Other: Publisher, Result>(
        _ other: Other, resultSelector: @escaping @Sendable (Output, Other.Output) -> Result
    ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, second: other, resultSelector: resultSelector)
    }

    /// Combines each value with the most recent values of two other publishers.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `withLatestFrom(_:resultSelector:)` with
    /// one other publisher. Values are dropped until each of the others has published one.
    ///
    /// - Parameters:
    ///   - other: The first publisher whose most recent value is used.
    ///   - other1: The second.
    ///   - resultSelector: Combines one value of each.
    @inlinable
    @preconcurrency public func withLatestFrom<Other: Publisher, Other1: Publisher, Result>(
        _ other: Other, _ other1: Other1,
        resultSelector: @escaping @Sendable (Output, (Other.Output, Other1.Output)) -> Result
    ) -> Publishers.WithLatestFrom<Self, AnyPublisher<(Other.Output, Other1.Output), Failure>, Result>
    where Other.Failure == Failure, Other1.Failure == Failure {
        withLatestFrom(other.combineLatest(other1).eraseToAnyPublisher(), resultSelector: resultSelector)
    }

    /// Combines each value with the most recent values of three other publishers.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `withLatestFrom(_:resultSelector:)` with
    /// one other publisher. Values are dropped until each of the others has published one.
    ///
    /// - Parameters:
    ///   - other: The first publisher whose most recent value is used.
    ///   - other1: The second.
    ///   - other2: The third.
    ///   - resultSelector: Combines one value of each.
    @inlinable
    public func withLatestFrom<
        Other: Publisher, Other1: Publisher, Other2: Publisher,
        Result
    >(
        _ other: Other, _ other1: Other1, _ other2: Other2,
        resultSelector: @escaping @Sendable (Output, (Other.Output, Other1.Output, Other2.Output)) -> Result
    )
        -> Publishers.WithLatestFrom<
            Self, AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>, Result
        >
    where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
        withLatestFrom(other.combineLatest(other1, other2).eraseToAnyPublisher(), resultSelector: resultSelector)
    }

    /// Publishes the most recent value of another publisher for each value of this one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `withLatestFrom(_:resultSelector:)`.
    ///
    /// - Parameter other: The publisher whose most recent value is used.
    @inlinable public func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        withLatestFrom(other) { $1 }
    }

    /// Publishes the most recent values of two other publishers for each value of this one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `withLatestFrom(_:_:resultSelector:)`.
    ///
    /// - Parameters:
    ///   - other: The first publisher whose most recent value is used.
    ///   - other1: The second.
    @inlinable public func withLatestFrom<Other: Publisher, Other1: Publisher>(
        _ other: Other, _ other1: Other1
    )
        -> Publishers.WithLatestFrom<
            Self, AnyPublisher<(Other.Output, Other1.Output), Failure>, (Other.Output, Other1.Output)
        >
    where Other.Failure == Failure, Other1.Failure == Failure {
        withLatestFrom(other, other1) { $1 }
    }

    /// Publishes the most recent values of three other publishers for each value of this one.
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `withLatestFrom(_:_:_:resultSelector:)`.
    ///
    /// - Parameters:
    ///   - other: The first publisher whose most recent value is used.
    ///   - other1: The second.
    ///   - other2: The third.
    @inlinable
    public func withLatestFrom<
        Other: Publisher, Other1: Publisher, Other2: Publisher
    >(
        _ other: Other, _ other1: Other1, _ other2: Other2
    )
        -> Publishers.WithLatestFrom<
            Self, AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>,
            (Other.Output, Other1.Output, Other2.Output)
        >
    where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
        withLatestFrom(other, other1, other2) { $1 }
    }
}

extension Publishers {
    /// A publisher that combines each value of upstream with the most recent value of another publisher.
    public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The publisher whose most recent value is used.
        public let second: Other

        /// Combines one value of each.
        public let resultSelector: @Sendable (Upstream.Output, Other.Output) -> Output

        /// Creates the publisher that `withLatestFrom(_:resultSelector:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, second: Other,
            resultSelector: @escaping @Sendable (Upstream.Output, Other.Output) -> Output
        ) {
            self.upstream = upstream
            self.second = second
            self.resultSelector = resultSelector
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SamplingConduit<Upstream.Output, Other.Output, Output, Failure>(
                name: "WithLatestFrom", use: .anyNumberOfTimes, AnySubscriber(subscriber), combine: resultSelector)
            conduit.connect(subscriber) { driver, sampled in
                upstream.receive(subscriber: driver)
                second.receive(subscriber: sampled)
            }
        }
    }
}

extension Publishers.WithLatestFrom: Sendable where Upstream: Sendable, Other: Sendable {}
