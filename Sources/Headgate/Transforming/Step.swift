import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// The result of one call of the closure of `step(state:_:)`.
    @frozen public enum StepResult<Output, Failure: Error> {
        /// The value is forwarded.
        case next(Output)
        /// Nothing is forwarded, and another value is requested from upstream instead.
        case skip
        /// The value is forwarded, and the stream finishes after it.
        case last(Output)
        /// The stream completes here.
        case end(Subscribers.Completion<Failure>)
    }
}

extension Publisher {
    /// Transforms each value with a closure that keeps a state, and drops `nil` results: an operator of your own.
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
    /// Each subscriber begins with a copy of the state. The operator handles demand, completion, cancellation and
    /// threads.
    ///
    /// - **Demand**: forwarded; another value is requested from upstream for each `nil`.
    /// - **Completion**: forwarded.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - state: The initial state.
    ///   - transform: Updates the state, and returns a value or `nil`. Called on the delivering thread.
    @preconcurrency @inlinable public func step<State, T>(
        state: State, _ transform: @escaping @Sendable (inout State, Output) -> T?
    ) -> Publishers.Step<Self, State, T> {
        Publishers.Step(upstream: self, state: state, transform: transform)
    }

    /// Transforms each value with a closure that keeps a state and may end the stream: an operator of your own.
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
    /// - **Demand**: forwarded; another value is requested from upstream for each `.skip`.
    /// - **Completion**: forwarded. After `.last` and `.end`, upstream is cancelled.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: one call of the closure per value. Fused with adjacent operators.
    ///
    /// - Parameters:
    ///   - state: The initial state.
    ///   - transform: Updates the state, and returns the result of the step. Called on the delivering thread.
    @preconcurrency @inlinable public func step<State, T>(
        state: State, _ transform: @escaping @Sendable (inout State, Output) -> Publishers.StepResult<T, Failure>
    ) -> Publishers.EndingStep<Self, State, T> {
        Publishers.EndingStep(upstream: self, state: state, transform: transform)
    }
}

extension Publishers {
    /// A publisher that transforms upstream's values with a closure that keeps a state.
    public struct Step<Upstream: Publisher, State, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial state of each subscriber.
        public let state: State

        /// Updates the state, and returns a value or `nil`.
        public let transform: @Sendable (inout State, Upstream.Output) -> Output?

        /// Creates the publisher that `step(state:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, state: State,
            transform: @escaping @Sendable (inout State, Upstream.Output) -> Output?
        ) {
            self.upstream = upstream
            self.state = state
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _StateStep<State, Upstream.Output, Output, Failure> {
            _StateStep(state: state, transform: transform)
        }
    }

    /// A publisher that transforms upstream's values with a closure that keeps a state and may end the stream.
    public struct EndingStep<Upstream: Publisher, State, Output>: _StepPublisher {
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The initial state of each subscriber.
        public let state: State

        /// Updates the state, and returns the result of the step.
        public let transform: @Sendable (inout State, Upstream.Output) -> StepResult<Output, Upstream.Failure>

        /// Creates the publisher that `step(state:_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, state: State,
            transform: @escaping @Sendable (inout State, Upstream.Output) -> StepResult<Output, Upstream.Failure>
        ) {
            self.upstream = upstream
            self.state = state
            self.transform = transform
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _EndingStateStep<State, Upstream.Output, Output, Failure> {
            _EndingStateStep(state: state, transform: transform)
        }
    }
}

extension Publishers.EndingStep: Sendable where Upstream: Sendable, State: Sendable {}

extension Publishers.Step: Sendable where Upstream: Sendable, State: Sendable {}

/// What `step(state:_:)` does.
@frozen public struct _StateStep<State, Input, Output, OutputFailure: Error>: _Step {
    /// The type of error that upstream may fail with.
    public typealias InputFailure = OutputFailure

    @usableFromInline var state: State

    @usableFromInline let transform: (inout State, Input) -> Output?

    @inlinable init(state: State, transform: @escaping (inout State, Input) -> Output?) {
        self.state = state
        self.transform = transform
    }

    /// Processes one value.
    @inlinable @inline(__always) public mutating func _receive(
        _ input: Input, _ forward: (Output) -> Void
    ) -> _StepResult {
        guard let output = transform(&state, input) else { return .skip }
        forward(output)
        return .next
    }
}

/// What `step(state:_:)` does if its closure may end the stream.
@frozen public struct _EndingStateStep<State, Input, Output, OutputFailure: Error>: _Step {
    /// The type of error that upstream may fail with.
    public typealias InputFailure = OutputFailure

    @usableFromInline var state: State

    @usableFromInline let transform: (inout State, Input) -> Publishers.StepResult<Output, OutputFailure>

    /// The failure with which the step has ended the stream.
    public var _failure: OutputFailure?

    @inlinable init(
        state: State, transform: @escaping (inout State, Input) -> Publishers.StepResult<Output, OutputFailure>
    ) {
        self.state = state
        self.transform = transform
    }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "Step" }

    /// Processes one value.
    @inlinable @inline(__always) public mutating func _receive(
        _ input: Input, _ forward: (Output) -> Void
    ) -> _StepResult {
        switch transform(&state, input) {
        case .next(let value):
            forward(value)
            return .next
        case .skip:
            return .skip
        case .last(let value):
            forward(value)
            return .last
        case .end(let completion):
            if case .failure(let failure) = completion { _failure = failure }
            return .end
        }
    }
}
