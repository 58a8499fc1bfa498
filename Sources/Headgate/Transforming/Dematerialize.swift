import HeadgateEngine

extension Publisher where Output: EventConvertible, Failure == Never {
    /// Converts the events that this publisher sends as values back into a stream.
    ///
    /// ```
    /// self           1---2---x---3
    /// dematerialize
    ///                1---2---x
    /// ```
    ///
    /// ```swift
    /// let cancellable = [Event<Int, Never>.value(1), .finished, .value(2)].publisher
    ///     .dematerialize()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded. The event of a completion counts as a value.
    /// - **Completion**: completes with the first completion event, and cancels upstream; or finishes with upstream
    ///   before that.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    @inlinable public func dematerialize() -> Publishers.Stepped<Self, Steps.Dematerialize<Output>> {
        Publishers.Stepped(self, Steps.Dematerialize())
    }

    /// Publishes the values among the events, and drops the completions.
    ///
    /// ```
    /// self      1---2---x---|
    /// values()
    ///           1---2-------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [Event<Int, Never>.value(1), .finished, .value(2)].publisher
    ///     .values()
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: forwarded; one more event is requested for each dropped one.
    /// - **Completion**: finishes with upstream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value.
    @inlinable public func values() -> AnyPublisher<Output.Output, Never> {
        compactMap { if case .value(let value) = $0.event { value } else { nil } }.eraseToAnyPublisher()
    }

    /// Publishes the failures among the events, and drops the rest.
    ///
    /// ```
    /// self        1---2---x---|
    /// failures()
    ///             --------e---|
    /// ```
    ///
    /// ```swift
    /// struct Problem: Error {}
    /// let cancellable = [Event<Int, Problem>.value(1), .failure(Problem())].publisher
    ///     .failures()
    ///     .sink { print($0) }
    /// // Problem()
    /// ```
    ///
    /// - **Demand**: forwarded; one more event is requested for each dropped one.
    /// - **Completion**: finishes with upstream.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: constant time per value.
    @inlinable public func failures() -> AnyPublisher<Output.Failure, Never> {
        compactMap { if case .failure(let failure) = $0.event { failure } else { nil } }.eraseToAnyPublisher()
    }
}

extension Steps {
    /// What `dematerialize()` does to an event.
    @frozen public struct Dematerialize<Input: EventConvertible>: _Step {
        /// The type of error that upstream may fail with.
        public typealias InputFailure = Never

        /// The failure with which the step has ended the stream.
        public var _failure: Input.Failure?

        @inlinable init() {}

        /// The name of the subscription, where the step may end the stream.
        @inlinable public static var _name: String? { "Dematerialize" }

        /// Processes one value.
        @inlinable @inline(__always) public mutating func _receive(
            _ input: Input, _ forward: (Input.Output) -> Void
        ) -> _StepResult {
            switch input.event {
            case .value(let value):
                forward(value)
                return .next
            case .failure(let failure):
                _failure = failure
                return .end
            case .finished:
                return .end
            }
        }

        /// The failure that an error becomes.
        @inlinable public func _failure(for failure: Never) -> Input.Failure {}
    }
}

extension Steps.Dematerialize: Sendable {}
