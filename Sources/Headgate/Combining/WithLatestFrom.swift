import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes what a closure makes of each value and the most recent value of another publisher.
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
    /// Values that come before the first one of the other publisher are dropped.
    ///
    /// - **Demand**: passed on as it is, and one more is requested for each value that is dropped. The other publisher is
    ///   requested everything from, before this one is requested anything from.
    /// - **Completion**: that of this publisher. Fails at once when the other one does; where it finishes, its last value
    ///   stays.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameters:
    ///   - other: The publisher of which the most recent value is taken.
    ///   - resultSelector: Makes a value of one of each. Called on the thread that delivers the value of this publisher.
    @inlinable public func withLatestFrom<Other: Publisher, Result>(
        _ other: Other, resultSelector: @escaping StreamClosure<Output, Other.Output, Result>
    ) -> Publishers.WithLatestFrom<Self, Other, Result> where Other.Failure == Failure {
        Publishers.WithLatestFrom(upstream: self, second: other, resultSelector: resultSelector)
    }

    /// Publishes what a closure makes of each value and the most recent values of two other publishers.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `withLatestFrom(_:resultSelector:)` with one other
    /// publisher. Values are dropped until each of the others has published one.
    ///
    /// - Parameters:
    ///   - other: The first publisher of which the most recent value is taken.
    ///   - other1: The second one.
    ///   - resultSelector: Makes a value of one of each.
    @inlinable
    public func withLatestFrom<Other: Publisher & StrictlySendable, Other1: Publisher & StrictlySendable, Result>(
        _ other: Other, _ other1: Other1,
        resultSelector: @escaping StreamClosure<Output, (Other.Output, Other1.Output), Result>
    ) -> Publishers.WithLatestFrom<Self, AnyPublisher<(Other.Output, Other1.Output), Failure>, Result>
    where Other.Failure == Failure, Other1.Failure == Failure {
        withLatestFrom(other.combineLatest(other1).eraseToAnyPublisher(), resultSelector: resultSelector)
    }

    /// Publishes what a closure makes of each value and the most recent values of three other publishers.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `withLatestFrom(_:resultSelector:)` with one other
    /// publisher. Values are dropped until each of the others has published one.
    ///
    /// - Parameters:
    ///   - other: The first publisher of which the most recent value is taken.
    ///   - other1: The second one.
    ///   - other2: The third one.
    ///   - resultSelector: Makes a value of one of each.
    @inlinable
    public func withLatestFrom<
        Other: Publisher & StrictlySendable, Other1: Publisher & StrictlySendable, Other2: Publisher & StrictlySendable,
        Result
    >(
        _ other: Other, _ other1: Other1, _ other2: Other2,
        resultSelector: @escaping StreamClosure<Output, (Other.Output, Other1.Output, Other2.Output), Result>
    )
        -> Publishers.WithLatestFrom<
            Self, AnyPublisher<(Other.Output, Other1.Output, Other2.Output), Failure>, Result
        >
    where Other.Failure == Failure, Other1.Failure == Failure, Other2.Failure == Failure {
        withLatestFrom(other.combineLatest(other1, other2).eraseToAnyPublisher(), resultSelector: resultSelector)
    }

    /// Publishes the most recent value of another publisher for each value of this one.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `withLatestFrom(_:resultSelector:)`.
    ///
    /// - Parameter other: The publisher of which the most recent value is taken.
    @inlinable public func withLatestFrom<Other: Publisher>(
        _ other: Other
    ) -> Publishers.WithLatestFrom<Self, Other, Other.Output> where Other.Failure == Failure {
        withLatestFrom(other) { $1 }
    }

    /// Publishes the most recent values of two other publishers for each value of this one.
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `withLatestFrom(_:_:resultSelector:)`.
    ///
    /// - Parameters:
    ///   - other: The first publisher of which the most recent value is taken.
    ///   - other1: The second one.
    @inlinable public func withLatestFrom<Other: Publisher & StrictlySendable, Other1: Publisher & StrictlySendable>(
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
    /// **Demand**, **Completion** and **Complexity** are those of `withLatestFrom(_:_:_:resultSelector:)`.
    ///
    /// - Parameters:
    ///   - other: The first publisher of which the most recent value is taken.
    ///   - other1: The second one.
    ///   - other2: The third one.
    @inlinable
    public func withLatestFrom<
        Other: Publisher & StrictlySendable, Other1: Publisher & StrictlySendable, Other2: Publisher & StrictlySendable
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
    /// A publisher of what is made of each value of a publisher and the most recent value of another one.
    public struct WithLatestFrom<Upstream: Publisher, Other: Publisher, Output>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The errors of both publishers.
        public typealias Failure = Upstream.Failure

        /// The publisher each of whose values makes one.
        public let upstream: Upstream

        /// The publisher of which the most recent value is taken.
        public let second: Other

        /// What makes a value of one of each.
        public let resultSelector: StreamClosure<Upstream.Output, Other.Output, Output>

        /// Makes the publisher that `withLatestFrom(_:resultSelector:)` returns.
        @inlinable public init(
            upstream: Upstream, second: Other,
            resultSelector: @escaping StreamClosure<Upstream.Output, Other.Output, Output>
        ) {
            self.upstream = upstream
            self.second = second
            self.resultSelector = resultSelector
        }

        /// Connects a subscriber to both publishers.
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

extension Publishers.WithLatestFrom: StrictlySendable where Upstream: StrictlySendable, Other: StrictlySendable {}
