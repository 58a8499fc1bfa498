/// A publisher's place in a run of steps: the root at which the run begins, and the steps from there to the publisher.
///
/// A subscriber is attached to the root, through one conduit for all the steps. Both are found by going upstream, and the types of
/// both follow from the publisher's type, so that the compiler knows the whole run where it knows the publisher, and specialises it.
// That depends on a function that calls itself with a shorter type. The compiler stops specialising one that calls itself with a longer
// one, as a function would that collects the steps on its way.
public protocol _StepFusion {
    /// The publisher.
    associatedtype Base: Publisher

    /// The publisher at which the run begins: the first one upstream that isn't a step.
    associatedtype Root: Publisher

    /// The steps from the root to the publisher.
    associatedtype Steps: _Step
    where
        Steps.Input == Root.Output, Steps.InputFailure == Root.Failure,
        Steps.Output == Base.Output, Steps.OutputFailure == Base.Failure

    /// Returns the run that ends with a publisher. Its steps are created anew for each subscriber.
    static func _run(to base: Base) -> (root: Root, steps: Steps)
}

extension Publisher {
    /// This publisher, as the type that its fusion serves.
    // Between equal types, which the compiler sees where it specialises a run, and from a class to one it inherits from.
    @inlinable public var _base: _Fusion.Base { self as! _Fusion.Base }
}

/// A publisher that is no step: a run begins here.
public enum _RootFusion<Base: Publisher>: _StepFusion {
    /// The publisher itself, without steps.
    @inlinable public static func _run(to base: Base) -> (root: Base, steps: _NoStep<Base.Output, Base.Failure>) {
        (base, _NoStep())
    }
}

/// A publisher that applies a step to the values of another publisher: what both `_StepPublisher` and `_ChainedFusion`
/// refer to.
public protocol _Staged {
    /// The upstream publisher.
    associatedtype Upstream: Publisher

    /// The step that this publisher adds to those of its upstream.
    associatedtype _Stage: _Step where _Stage.Input == Upstream.Output, _Stage.InputFailure == Upstream.Failure

    /// The upstream publisher.
    var upstream: Upstream { get }

    /// The step, created anew for each subscriber.
    var _stage: _Stage { get }
}

/// A publisher that is a step: it continues the run of its upstream.
public enum _ChainedFusion<Base: Publisher & _Staged>: _StepFusion
where Base._Stage.Output == Base.Output, Base._Stage.OutputFailure == Base.Failure {
    /// The run to upstream, and the publisher's own step.
    @inlinable public static func _run(to base: Base) -> (
        root: Base.Upstream._Fusion.Root, steps: _StepChain<Base.Upstream._Fusion.Steps, Base._Stage>
    ) {
        let (root, steps) = Base.Upstream._Fusion._run(to: base.upstream._base)
        return (root, _StepChain(steps, base._stage))
    }
}

/// A publisher that applies a step to the values of another publisher, and nothing else.
public protocol _StepPublisher: Publisher, _Staged
where _Fusion == _ChainedFusion<Self>, _Stage.Output == Output, _Stage.OutputFailure == Failure {}
