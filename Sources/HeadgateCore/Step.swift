/// The outcome of one value at a step.
@frozen public enum _StepResult<Output, Failure: Error> {
    /// A value is forwarded.
    case next(Output)
    /// Nothing is forwarded, and another value is requested from upstream instead.
    case skip
    /// A value is forwarded, and the stream finishes after it.
    case last(Output)
    /// The stream completes here.
    case end(Subscribers.Completion<Failure>)
}

/// A stage of a pipeline that produces at most one value for each: the varying part of an operator.
///
/// Consecutive steps are combined into one when a subscriber arrives, so that a run of them costs one object, one
/// virtual call per value, and one implementation of demand, completion and cancellation
/// (`Documentation/Architecture.md`).
public protocol _Step {
    /// The type of the values received.
    associatedtype Input
    /// The type of error received.
    associatedtype InputFailure: Error
    /// The type of the values produced.
    associatedtype Output
    /// The type of error produced.
    associatedtype OutputFailure: Error

    /// Whether the step needs a subscription of its own: it may complete the stream before upstream does, or has a name
    /// to show in a log. Known to the compiler, so that steps that never do so are not slowed by those that might.
    static var _mayEnd: Bool { get }

    /// The name of the subscription in a log, if the step has one of its own.
    static var _name: String { get }

    /// Whether the stream has completed before the first value.
    var _hasEnded: Bool { get }

    /// Handles a value.
    mutating func _receive(_ input: Input) -> _StepResult<Output, OutputFailure>

    /// Transforms the completion of upstream.
    func _receive(completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<OutputFailure>
}

extension _Step {
    /// Not before the first value.
    @inlinable public var _hasEnded: Bool { false }
}

/// Two consecutive steps.
@frozen public struct _StepChain<First: _Step, Second: _Step>: _Step
where First.Output == Second.Input, First.OutputFailure == Second.InputFailure {
    @usableFromInline var first: First

    @usableFromInline var second: Second

    /// Combines two steps.
    @inlinable public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Whether either needs a subscription of its own.
    @inlinable public static var _mayEnd: Bool { First._mayEnd || Second._mayEnd }

    /// The name of the last step that has a subscription of its own.
    @inlinable public static var _name: String { Second._mayEnd ? Second._name : First._name }

    /// Whether either has completed the stream before the first value.
    @inlinable public var _hasEnded: Bool { first._hasEnded || second._hasEnded }

    /// Passes the result of the first step to the second.
    @inlinable @inline(__always) public mutating func _receive(_ input: First.Input) -> _StepResult<
        Second.Output, Second.OutputFailure
    > {
        switch first._receive(input) {
        case .next(let value):
            return second._receive(value)
        case .skip:
            return .skip
        case .last(let value):
            switch second._receive(value) {
            case .next(let value), .last(let value): return .last(value)
            case .skip: return .end(second._receive(completion: .finished))
            case .end(let completion): return .end(completion)
            }
        case .end(let completion):
            return .end(second._receive(completion: completion))
        }
    }

    /// Transforms the completion with both steps.
    @inlinable public func _receive(
        completion: Subscribers.Completion<First.InputFailure>
    ) -> Subscribers.Completion<Second.OutputFailure> {
        second._receive(completion: first._receive(completion: completion))
    }
}

/// A step that never completes the stream and forwards the completion unchanged.
public protocol _PassingStep: _Step where OutputFailure == InputFailure {}

extension _PassingStep {
    /// Never.
    @inlinable public static var _mayEnd: Bool { false }

    /// None: downstream sees upstream's subscription.
    @inlinable public static var _name: String { "" }

    /// Forwards the completion.
    @inlinable public func _receive(completion: Subscribers.Completion<InputFailure>)
        -> Subscribers.Completion<InputFailure>
    {
        completion
    }
}

/// A step that has a subscription of its own and forwards the completion of upstream unchanged.
public protocol _NamedStep: _Step where OutputFailure == InputFailure {}

extension _NamedStep {
    /// It may, or has a name to show.
    @inlinable public static var _mayEnd: Bool { true }

    /// Forwards the completion.
    @inlinable public func _receive(completion: Subscribers.Completion<InputFailure>)
        -> Subscribers.Completion<InputFailure>
    {
        completion
    }
}

/// A step that may throw, which fails the stream with the error.
public protocol _ThrowingStep: _Step where OutputFailure == any Error {
    /// Handles a value, or throws.
    mutating func _attempt(_ input: Input) throws -> _StepResult<Output, any Error>
}

extension _ThrowingStep {
    /// It may, by throwing.
    @inlinable public static var _mayEnd: Bool { true }

    /// Handles a value, and fails the stream if that throws.
    @inlinable @inline(__always) public mutating func _receive(_ input: Input) -> _StepResult<Output, any Error> {
        do {
            return try _attempt(input)
        } catch {
            return .end(.failure(error))
        }
    }

    /// Forwards the completion; a failure becomes any error.
    @inlinable public func _receive(completion: Subscribers.Completion<InputFailure>)
        -> Subscribers.Completion<any Error>
    {
        completion.mapFailure { $0 }
    }
}
