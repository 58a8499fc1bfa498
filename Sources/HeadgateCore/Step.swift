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
public protocol _Step<Output, OutputFailure> {
    /// The type of the values received.
    associatedtype Input
    /// The type of error received.
    associatedtype InputFailure: Error
    /// The type of the values produced.
    associatedtype Output
    /// The type of error produced.
    associatedtype OutputFailure: Error

    /// The name of the step's own subscription in a log. It has one if it may complete the stream before upstream does, or has a
    /// name to show. Known to the compiler, so that steps that have none are not slowed by those that have.
    static var _name: String? { get }

    /// Handles a value.
    mutating func _receive(_ input: Input) -> _StepResult<Output, OutputFailure>

    /// Transforms the failure of upstream.
    func _failure(for failure: InputFailure) -> OutputFailure
}

extension _Step {
    /// None: downstream has upstream's subscription.
    @inlinable public static var _name: String? { nil }
}

extension _Step where OutputFailure == InputFailure {
    /// The same failure.
    @inlinable public func _failure(for failure: InputFailure) -> OutputFailure { failure }
}

extension _Step where OutputFailure == any Error {
    /// The same failure, as any error.
    @inlinable public func _failure(for failure: InputFailure) -> OutputFailure { failure }
}

/// The steps of a publisher that is none: every value is forwarded.
@frozen public struct _NoStep<Input, InputFailure: Error>: _Step {
    /// Creates it.
    @inlinable public init() {}

    /// Forwards the value.
    @inlinable public mutating func _receive(_ input: Input) -> _StepResult<Input, InputFailure> { .next(input) }
}

/// Two consecutive steps.
@frozen public struct _StepChain<First: _Step, Second: _Step>: _Step
where First.Output == Second.Input, First.OutputFailure == Second.InputFailure {
    @usableFromInline var first: First

    @usableFromInline var second: Second

    /// Combines two steps.
    @inlinable @inline(__always) public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// The name of the last step that has one.
    @inlinable @inline(__always) public static var _name: String? {
        if let name = Second._name { return name }
        return First._name
    }

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
            case .skip: return .end(.finished)
            case .end(let completion): return .end(completion)
            }
        case .end(.finished):
            return .end(.finished)
        case .end(.failure(let failure)):
            return .end(.failure(second._failure(for: failure)))
        }
    }

    /// Transforms the failure with both steps.
    @inlinable @inline(__always) public func _failure(for failure: First.InputFailure) -> Second.OutputFailure {
        second._failure(for: first._failure(for: failure))
    }
}
