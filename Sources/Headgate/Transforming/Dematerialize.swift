import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: EventConvertible, Failure == Never {
    /// Says what the events of this publisher stand for.
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
    /// - **Demand**: passed on as it is. The event of an end takes the place of a value.
    /// - **Completion**: ends as the first event of an end says, and cancels upstream; or finishes with upstream before that.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    @inlinable public func dematerialize() -> Publishers.Dematerialize<Self> {
        Publishers.Dematerialize(upstream: self)
    }

    /// Publishes the values among the events, and leaves the ends out.
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
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every event that is left out.
    /// - **Completion**: finishes with upstream.
    /// - **Complexity**: constant time a value.
    @inlinable public func values() -> AnyPublisher<Output.Output, Never> where Self: StrictlySendable {
        compactMap { if case .value(let value) = $0.event { value } else { nil } }.eraseToAnyPublisher()
    }

    /// Publishes the failures among the events, and leaves everything else out.
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
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every event that is left out.
    /// - **Completion**: finishes with upstream.
    /// - **Complexity**: constant time a value.
    @inlinable public func failures() -> AnyPublisher<Output.Failure, Never> where Self: StrictlySendable {
        compactMap { if case .failure(let failure) = $0.event { failure } else { nil } }.eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher that says what the events of another one stand for.
    public struct Dematerialize<Upstream: Publisher>: _StepPublisher
    where Upstream.Output: EventConvertible, Upstream.Failure == Never {
        /// The values that the events stand for.
        public typealias Output = Upstream.Output.Output

        /// The errors that the events stand for.
        public typealias Failure = Upstream.Output.Failure

        /// The publisher of events.
        public let upstream: Upstream

        /// Makes the publisher that `dematerialize()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// The step that looks at an event.
        @inlinable public var _stage: _DematerializeStep<Upstream.Output> { _DematerializeStep() }
    }
}

extension Publishers.Dematerialize: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Dematerialize: Equatable where Upstream: Equatable {}

/// What `dematerialize()` does to an event.
@frozen public struct _DematerializeStep<Input: EventConvertible>: _Step {
    /// None.
    public typealias InputFailure = Never

    @inlinable init() {}

    /// It may.
    @inlinable public static var _mayEnd: Bool { true }

    /// `Dematerialize`.
    @inlinable public static var _name: String { "Dematerialize" }

    /// Says what the event stands for.
    @inlinable public mutating func _receive(_ input: Input) -> _StepResult<Input.Output, Input.Failure> {
        switch input.event {
        case .value(let value): .next(value)
        case .failure(let failure): .end(.failure(failure))
        case .finished: .end(.finished)
        }
    }

    /// Finishes.
    @inlinable public func _receive(completion: Subscribers.Completion<Never>) -> Subscribers.Completion<Input.Failure>
    {
        .finished
    }
}
