/// What a step has done with one value.
@frozen public enum _StepResult {
    // Not generic, and the value is passed on rather than returned: code that is not specialised would look up the metadata of a generic
    // result for every value.

    /// A value has been forwarded.
    case next
    /// Nothing has been forwarded, and another value is requested from upstream instead.
    case skip
    /// A value has been forwarded, and the stream finishes after it.
    case last
    /// The stream completes here: it fails with the step's `_failure`, or finishes if there is none.
    case end
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
    associatedtype OutputFailure: Error = InputFailure

    /// The name of the step's own subscription in a log. It has one if it may complete the stream before upstream does, or has a
    /// name to show. Known to the compiler, so that steps that have none are not slowed by those that have.
    static var _name: String? { get }

    /// Handles a value: calls `forward` with at most one value for it, as the last thing that it does.
    mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult

    /// The failure with which the step has ended the stream.
    var _failure: OutputFailure? { get }

    /// Transforms the failure of upstream.
    func _failure(for failure: InputFailure) -> OutputFailure
}

extension _Step {
    /// None: downstream has upstream's subscription.
    @inlinable public static var _name: String? { nil }

    /// None: the step does not fail.
    @inlinable public var _failure: OutputFailure? { nil }
}

extension _Step where OutputFailure == InputFailure {
    /// The same failure.
    @inlinable public func _failure(for failure: InputFailure) -> OutputFailure { failure }
}

extension _Step where OutputFailure == any Error {
    /// The same failure, as any error.
    @inlinable public func _failure(for failure: InputFailure) -> OutputFailure { failure }
}

/// A step that may throw, which fails the stream.
public protocol _ThrowingStep: _Step where OutputFailure == any Error {
    // Named again, so that the compiler finds them in `_attempt`.
    /// The type of the values received.
    associatedtype Input
    /// The type of error received.
    associatedtype InputFailure
    /// The type of the values produced.
    associatedtype Output

    /// The error that the step has thrown.
    var _failure: (any Error)? { get set }

    /// Handles a value as `_receive` does, or throws.
    mutating func _attempt(_ input: Input, _ forward: (Output) -> Void) throws -> _StepResult
}

extension _ThrowingStep {
    // Transparent like `_attempt`, so that each step has code of its own, in a debug build, too: shared code would look up its type.
    /// Ends the stream if the step throws.
    @_transparent public mutating func _receive(_ input: Input, _ forward: (Output) -> Void) -> _StepResult {
        do { return try _attempt(input, forward) } catch {
            _failure = error
            return .end
        }
    }
}

/// The steps of a publisher that is none: every value is forwarded.
@frozen public struct _NoStep<Input, InputFailure: Error>: _Step {
    /// Creates it.
    @inlinable public init() {}

    /// Forwards the value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        forward(input)
        return .next
    }
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

    /// Passes the value of the first step to the second.
    @inlinable @inline(__always) public mutating func _receive(
        _ input: First.Input, _ forward: (Second.Output) -> Void
    ) -> _StepResult {
        Self.pass(input, &first, &second, forward)
    }

    // The closure captures the second step alone: code that is not specialised would look up the type of the whole chain to find it.
    // Transparent, so that a debug build inlines it, too.
    @_transparent @usableFromInline static func pass(
        _ input: First.Input, _ first: inout First, _ second: inout Second, _ forward: (Second.Output) -> Void
    ) -> _StepResult {
        var result = _StepResult.skip
        let firstResult = first._receive(input) { result = second._receive($0, forward) }
        switch firstResult {
        case .next: return result
        case .skip, .end: return firstResult
        case .last: return result == .next || result == .last ? .last : .end
        }
    }

    /// The failure of the step that has ended the stream.
    @inlinable public var _failure: Second.OutputFailure? {
        second._failure ?? first._failure.map { second._failure(for: $0) }
    }

    /// Transforms the failure with both steps.
    @inlinable @inline(__always) public func _failure(for failure: First.InputFailure) -> Second.OutputFailure {
        second._failure(for: first._failure(for: failure))
    }
}
