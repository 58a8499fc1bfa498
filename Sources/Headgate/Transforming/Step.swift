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
    ) -> Publishers.Stepped<Self, Steps.Step<State, Output, T, Failure>> {
        Publishers.Stepped(self, Steps.Step(state: state, transform: transform))
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
    ) -> Publishers.Stepped<Self, Steps.EndingStep<State, Output, T, Failure>> {
        Publishers.Stepped(self, Steps.EndingStep(state: state, transform: transform))
    }
}

extension Steps {
    /// What `step(state:_:)` does to a value.
    @frozen public struct Step<State, Input, Output, OutputFailure: Error>: _Step {
        /// The type of error that upstream may fail with.
        public typealias InputFailure = OutputFailure

        @usableFromInline var state: State

        @usableFromInline let transform: @Sendable (inout State, Input) -> Output?

        @inlinable init(state: State, transform: @escaping @Sendable (inout State, Input) -> Output?) {
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

    /// What `step(state:_:)` does to a value if its closure may end the stream.
    @frozen public struct EndingStep<State, Input, Output, OutputFailure: Error>: _Step {
        /// The type of error that upstream may fail with.
        public typealias InputFailure = OutputFailure

        @usableFromInline var state: State

        @usableFromInline let transform: @Sendable (inout State, Input) -> Publishers.StepResult<Output, OutputFailure>

        /// The failure with which the step has ended the stream.
        public var _failure: OutputFailure?

        @inlinable init(
            state: State,
            transform: @escaping @Sendable (inout State, Input) -> Publishers.StepResult<Output, OutputFailure>
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
}

extension Steps.Step: Sendable where State: Sendable {}

extension Steps.EndingStep: Sendable where State: Sendable {}
