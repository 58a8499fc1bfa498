// The type of the steps follows from the publisher's type, and what goes upstream for the root is a subscriber whose type stays the same. So
// the compiler specialises the whole run: it does not where a generic function calls itself with a longer type, as one would that collects
// the steps on its way.
/// A publisher that applies a step to the values of another publisher, and nothing else.
///
/// A subscriber is attached to the *root*, the first publisher upstream that is no step, through one conduit for all the steps between.
public protocol _StepPublisher: Publisher where _Steps == _StepChain<Upstream._Steps, _Stage> {
    /// The upstream publisher.
    associatedtype Upstream: Publisher

    /// The step that this publisher adds to those of its upstream.
    associatedtype _Stage: _Step<Output, Failure>
    where _Stage.Input == Upstream.Output, _Stage.InputFailure == Upstream.Failure

    /// The upstream publisher.
    var upstream: Upstream { get }

    /// The step, created anew for each subscriber.
    var _stage: _Stage { get }
}

// Always inlined, as the members of `_StepChain` and `_stage` of each publisher are: otherwise the compiler makes a function of
// each for each step of a run.
extension _StepPublisher {
    /// The steps of upstream, and this one.
    @inlinable @inline(__always) public var _steps: _StepChain<Upstream._Steps, _Stage> {
        // Copied first: loads between the calls take the compiler longer than all the rest.
        let stage = _stage
        let upstream = upstream
        return _StepChain(upstream._steps, stage)
    }

    /// Attaches the subscriber upstream.
    @inlinable @inline(__always) public func _receive(
        atRoot subscriber: some Subscriber<_Steps.Input, _Steps.InputFailure>
    ) {
        upstream._receive(atRoot: subscriber)
    }
}

extension Publisher where _Steps == _NoStep<Output, Failure> {
    /// None.
    @inlinable public var _steps: _NoStep<Output, Failure> { _NoStep() }

    /// Attaches the subscriber here.
    @inlinable public func _receive(atRoot subscriber: some Subscriber<Output, Failure>) {
        receive(subscriber: subscriber)
    }
}
