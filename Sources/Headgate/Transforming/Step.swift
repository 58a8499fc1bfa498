import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// What becomes of one value at a step: `.next(value)`, `.skip`, `.last(value)` or `.end(completion)`.
    public typealias StepResult<Output, Failure: Error> = _StepResult<Output, Failure>
}

extension Publisher {
    /// Publishes what a closure makes of each value and of a state, leaving out each `nil`: an operator of your own.
    ///
    /// ```
    /// self      1---2-----3-----|
    /// step      the sum of this one and the one before
    ///           ----3-----5-----|
    /// ```
    ///
    /// ```swift
    /// extension Publisher {
    ///     func pairs() -> some Publisher<(Output, Output), Failure> {
    ///         step(state: Output?.none) { previous, value -> (Output, Output)? in
    ///             defer { previous = value }
    ///             return previous.map { ($0, value) }
    ///         }
    ///     }
    /// }
    ///
    /// let listener = (1...3).publisher.pairs().sink { print($0, $1) }
    /// // 1 2
    /// // 2 3
    /// ```
    ///
    /// Every subscriber begins with a copy of the state. Demand, completion, cancellation and threads are taken care of.
    ///
    /// - **Demand**: passed on as it is, and upstream is requested for another value in place of each `nil`.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure per value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - state: The state at the beginning.
    ///   - transform: Changes the state, and makes a value or `nil`. Called on the thread that delivers.
    @inlinable public func step<State, T>(
        state: State, _ transform: @escaping UpdatingStreamClosure<State, Output, T?>
    ) -> Publishers.Step<Self, State, T> {
        Publishers.Step(upstream: self, state: state, transform: transform)
    }

    /// Publishes what a closure makes of each value and of a state, and ends when the closure says so: an operator of
    /// your own.
    ///
    /// ```swift
    /// extension Publisher where Output == Int {
    ///     func upTo(sum limit: Int) -> some Publisher<Int, Failure> {
    ///         step(state: 0) { sum, value -> Publishers.StepResult<Int, Failure> in
    ///             sum += value
    ///             return sum < limit ? .next(value) : .last(value)
    ///         }
    ///     }
    /// }
    ///
    /// let listener = (1...).publisher.upTo(sum: 6).sink { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: passed on as it is, and upstream is requested for another value in place of each `.skip`.
    /// - **Completion**: passed on as it is. After `.last` and `.end`, upstream is cancelled.
    /// - **Complexity**: one call of the closure per value. Fused with the operators around it.
    ///
    /// - Parameters:
    ///   - state: The state at the beginning.
    ///   - transform: Changes the state, and decides on a value. Called on the thread that delivers.
    @inlinable public func step<State, T>(
        state: State, _ transform: @escaping UpdatingStreamClosure<State, Output, Publishers.StepResult<T, Failure>>
    ) -> Publishers.EndingStep<Self, State, T> {
        Publishers.EndingStep(upstream: self, state: state, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what a closure makes of each value of another one, and of a state.
    public struct Step<Upstream: Publisher, State, Output>: _StepPublisher {
        /// The failure of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher of the values.
        public let upstream: Upstream

        /// The state with which each subscriber begins.
        public let state: State

        /// Changes the state, and makes a value or `nil`.
        public let transform: UpdatingStreamClosure<State, Upstream.Output, Output?>

        /// Makes the publisher that `step(state:_:)` returns.
        @inlinable public init(
            upstream: Upstream, state: State,
            transform: @escaping UpdatingStreamClosure<State, Upstream.Output, Output?>
        ) {
            self.upstream = upstream
            self.state = state
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _StateStep<State, Upstream.Output, Output, Failure> {
            _StateStep(state: state, transform: transform)
        }
    }

    /// A publisher of what a closure makes of each value of another one, and of a state, until the closure ends it.
    public struct EndingStep<Upstream: Publisher, State, Output>: _StepPublisher {
        /// The failure of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher of the values.
        public let upstream: Upstream

        /// The state with which each subscriber begins.
        public let state: State

        /// Changes the state, and decides on a value.
        public let transform: UpdatingStreamClosure<State, Upstream.Output, StepResult<Output, Upstream.Failure>>

        /// Makes the publisher that `step(state:_:)` returns.
        @inlinable public init(
            upstream: Upstream, state: State,
            transform: @escaping UpdatingStreamClosure<State, Upstream.Output, StepResult<Output, Upstream.Failure>>
        ) {
            self.upstream = upstream
            self.state = state
            self.transform = transform
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _EndingStateStep<State, Upstream.Output, Output, Failure> {
            _EndingStateStep(state: state, transform: transform)
        }
    }
}

extension Publishers.EndingStep: StrictlySendable where Upstream: StrictlySendable, State: StrictlySendable {}

extension Publishers.Step: StrictlySendable where Upstream: StrictlySendable, State: StrictlySendable {}

/// What `step(state:_:)` does.
@frozen public struct _StateStep<State, Input, Output, OutputFailure: Error>: _PassingStep {
    /// The failure of upstream.
    public typealias InputFailure = OutputFailure

    @usableFromInline var state: State

    @usableFromInline let transform: (inout State, Input) -> Output?

    @inlinable init(state: State, transform: @escaping (inout State, Input) -> Output?) {
        self.state = state
        self.transform = transform
    }

    /// Calls the closure.
    @inlinable @inline(__always) public mutating func _receive(_ input: Input) -> _StepResult<Output, OutputFailure> {
        if let output = transform(&state, input) { .next(output) } else { .skip }
    }
}

/// What `step(state:_:)` does whose closure may end the stream.
@frozen public struct _EndingStateStep<State, Input, Output, OutputFailure: Error>: _NamedStep {
    /// The failure of upstream.
    public typealias InputFailure = OutputFailure

    @usableFromInline var state: State

    @usableFromInline let transform: (inout State, Input) -> _StepResult<Output, OutputFailure>

    @inlinable init(state: State, transform: @escaping (inout State, Input) -> _StepResult<Output, OutputFailure>) {
        self.state = state
        self.transform = transform
    }

    /// What the subscription is called in a log.
    @inlinable public static var _name: String { "Step" }

    /// Calls the closure.
    @inlinable @inline(__always) public mutating func _receive(_ input: Input) -> _StepResult<Output, OutputFailure> {
        transform(&state, input)
    }
}
