import HeadgateEngine

extension Publisher {
    /// Transforms each value with a closure that keeps a state, and publishes what another closure makes of the state
    /// that is left when upstream finishes.
    ///
    /// ```
    /// self      1---2-----5---|
    /// step      the sum of each two, and the rest
    ///           ----3---------(5|)
    /// ```
    ///
    /// ```swift
    /// extension Publisher where Output == String {
    ///     func sentences() -> some Publisher<String, Failure> {
    ///         step(state: "") { rest, word -> String? in
    ///             rest += rest.isEmpty ? word : " " + word
    ///             if !word.hasSuffix(".") { return nil }
    ///             defer { rest = "" }
    ///             return rest
    ///         } atEnd: { rest in
    ///             rest.isEmpty ? nil : rest
    ///         }
    ///     }
    /// }
    ///
    /// let listener = ["It", "rains.", "Still"].publisher.sentences().sink { print($0) }
    /// // It rains.
    /// // Still
    /// ```
    ///
    /// Each subscriber begins with a copy of the state. The operator handles demand, completion, cancellation and
    /// threads.
    ///
    /// - **Demand**: forwarded; another value is requested from upstream for each `nil`. The value at the end waits for
    ///   demand.
    /// - **Completion**: finishes after the value at the end. A failure is forwarded at once, and the state is dropped.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it, the last one
    ///   possibly on that of the request.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameters:
    ///   - state: The initial state.
    ///   - transform: Updates the state, and returns a value or `nil`. Called on the delivering thread.
    ///   - atEnd: Returns the last value or `nil`; called once, when upstream has finished.
    @inlinable public func step<State, T>(
        state: State, _ transform: @escaping @Sendable (inout State, Output) -> T?,
        atEnd: @escaping @Sendable (State) -> T?
    ) -> Publishers.StepAtEnd<Self, State, T> {
        Publishers.StepAtEnd(upstream: self, state: state, transform: transform, atEnd: atEnd)
    }
}

extension Publishers {
    /// A publisher that transforms upstream's values with a closure that keeps a state, of which another one makes the
    /// last value.
    public struct StepAtEnd<Upstream: Publisher, State, Output>: Publisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial state of each subscriber.
        public let state: State

        /// Updates the state, and returns a value or `nil`.
        public let transform: @Sendable (inout State, Upstream.Output) -> Output?

        /// Returns the last value or `nil`.
        public let atEnd: @Sendable (State) -> Output?

        /// Creates the publisher that `step(state:_:atEnd:)` returns.
        @inlinable public init(
            upstream: Upstream, state: State, transform: @escaping @Sendable (inout State, Upstream.Output) -> Output?,
            atEnd: @escaping @Sendable (State) -> Output?
        ) {
            self.upstream = upstream
            self.state = state
            self.transform = transform
            self.atEnd = atEnd
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let tail = StateTail<State, Upstream.Output, Output, Failure>(
                state: state, transform: transform, atEnd: atEnd)
            upstream.receive(subscriber: TailConduit(tail, subscriber))
        }
    }
}

extension Publishers.StepAtEnd: Sendable where Upstream: Sendable, State: Sendable {}

/// What `step(state:_:atEnd:)` does.
@usableFromInline struct StateTail<State, Input, Output, Failure: Error>: Tail {
    @usableFromInline var state: State

    @usableFromInline let transform: (inout State, Input) -> Output?

    @usableFromInline let atEnd: (State) -> Output?

    @inlinable init(
        state: State, transform: @escaping (inout State, Input) -> Output?, atEnd: @escaping (State) -> Output?
    ) {
        self.state = state
        self.transform = transform
        self.atEnd = atEnd
    }

    @inlinable var name: StaticString { "Step" }

    @inlinable var requestsAgain: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> Output? { transform(&state, input) }

    @inlinable func finalValue(before completion: Subscribers.Completion<Failure>) -> Output? {
        if case .finished = completion { atEnd(state) } else { nil }
    }
}
