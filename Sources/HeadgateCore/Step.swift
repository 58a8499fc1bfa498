/// What becomes of one value at a step.
@frozen public enum _StepResult<Output, Failure: Error> {
    /// A value goes on.
    case next(Output)
    /// Nothing goes on, and upstream owes one more value in its place.
    case skip
    /// A value goes on, and the stream has finished behind it.
    case last(Output)
    /// The stream ends here.
    case end(Subscribers.Completion<Failure>)
}

/// One stage of a pipeline that makes at most one value of each: the part of an operator that is not protocol.
///
/// Steps that follow each other are put together into one when a subscriber arrives, so that a run of them costs one
/// object, one virtual call a value, and one implementation of demand, completion and cancellation
/// (`Documentation/Architecture.md`).
public protocol _Step {
    /// What comes in.
    associatedtype Input
    /// The errors that come in.
    associatedtype InputFailure: Error
    /// What goes out.
    associatedtype Output
    /// The errors that go out.
    associatedtype OutputFailure: Error

    /// Whether the step needs a subscription of its own: it may end the stream before upstream does, or has a name to
    /// show in a log. Known to the compiler, so that steps that never do pay nothing for those that might.
    static var _mayEnd: Bool { get }

    /// What the subscription is called in a log where the step has one of its own.
    static var _name: String { get }

    /// Whether the stream has ended before the first value.
    var _hasEnded: Bool { get }

    /// Decides on one value.
    mutating func _receive(_ input: Input) -> _StepResult<Output, OutputFailure>

    /// Translates the completion of upstream.
    func _receive(completion: Subscribers.Completion<InputFailure>) -> Subscribers.Completion<OutputFailure>
}

extension _Step {
    /// Not before the first value.
    @inlinable public var _hasEnded: Bool { false }
}

/// The step that changes nothing.
@frozen public struct _NoStep<Output, Failure: Error>: _Step {
    /// Makes the step.
    @inlinable public init() {}

    /// Never.
    @inlinable public static var _mayEnd: Bool { false }

    /// None.
    @inlinable public static var _name: String { "" }

    /// Forwards the value.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Failure> { .next(input) }

    /// Forwards the completion.
    @inlinable public func _receive(completion: Subscribers.Completion<Failure>) -> Subscribers.Completion<Failure> {
        completion
    }
}

/// Two steps, the second fed by the first.
@frozen public struct _StepChain<First: _Step, Second: _Step>: _Step
where First.Output == Second.Input, First.OutputFailure == Second.InputFailure {
    @usableFromInline var first: First

    @usableFromInline var second: Second

    /// Puts two steps together.
    @inlinable public init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    /// Whether either needs a subscription of its own.
    @inlinable public static var _mayEnd: Bool { First._mayEnd || Second._mayEnd }

    /// The name of the last step that has a subscription of its own.
    @inlinable public static var _name: String { Second._mayEnd ? Second._name : First._name }

    /// Whether either has ended the stream before the first value.
    @inlinable public var _hasEnded: Bool { first._hasEnded || second._hasEnded }

    /// Hands what the first makes to the second.
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

    /// Translates twice.
    @inlinable public func _receive(
        completion: Subscribers.Completion<First.InputFailure>
    ) -> Subscribers.Completion<Second.OutputFailure> {
        second._receive(completion: first._receive(completion: completion))
    }
}

/// What the compiler needs in order to find the root and the steps of a `_StepPublisher` by itself.
///
/// It stands apart from `Publisher` because two defaults for one associated type are ambiguous within one protocol.
public protocol _Staged {
    /// The upstream publisher.
    associatedtype Upstream: Publisher

    /// What this publisher adds to the steps of its upstream.
    associatedtype _Stage: _Step where _Stage.Input == Upstream.Output, _Stage.InputFailure == Upstream.Failure

    /// The upstream publisher.
    var upstream: Upstream { get }

    /// The step, freshly made for one subscriber.
    var _stage: _Stage { get }
}

extension _Staged {
    /// The root of upstream.
    public typealias _Root = Upstream._Root

    /// The steps of upstream, and then this one.
    public typealias _Steps = _StepChain<Upstream._Steps, _Stage>

    /// The root of upstream.
    @inlinable public var _root: _Root { upstream._root }

    /// The steps of upstream, and then this one.
    @inlinable public var _steps: _Steps { _StepChain(upstream._steps, _stage) }
}

/// A publisher that is a step behind another publisher: it says what happens to a value, and nothing else.
public protocol _StepPublisher: Publisher, _Staged
where
    _Root == Upstream._Root, _Steps == _StepChain<Upstream._Steps, _Stage>,
    _Stage.Output == Output, _Stage.OutputFailure == Failure
{}

/// A step that takes its types from the publisher before it.
///
/// A step that named its input and failure itself would have them derived anew through the whole run by every step after
/// it, and the time it takes to optimise a run would double with each two steps.
public protocol _UpstreamStep: _Step where Input == Upstream.Output, InputFailure == Upstream.Failure {
    /// The publisher before the step.
    associatedtype Upstream: Publisher
}

/// A step that never ends the stream and leaves the completion as it is.
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

/// A step that has a subscription of its own and leaves the completion of upstream as it is.
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

/// A step that may throw, which ends the stream with the error.
public protocol _ThrowingStep: _Step where OutputFailure == any Error {
    /// Decides on one value, or throws.
    mutating func _attempt(_ input: Input) throws -> _StepResult<Output, any Error>
}

extension _ThrowingStep {
    /// It may, by throwing.
    @inlinable public static var _mayEnd: Bool { true }

    /// Decides on one value, and ends the stream if that fails.
    @inlinable @inline(__always) public mutating func _receive(_ input: Input) -> _StepResult<Output, any Error> {
        do {
            return try _attempt(input)
        } catch {
            return .end(.failure(error))
        }
    }

    /// Passes the completion on; a failure is now one of many possible.
    @inlinable public func _receive(completion: Subscribers.Completion<InputFailure>)
        -> Subscribers.Completion<any Error>
    {
        completion.mapFailure { $0 }
    }
}
