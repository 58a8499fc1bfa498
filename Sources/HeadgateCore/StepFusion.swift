/// Gathers the steps between a subscriber and the root of their run, and attaches the subscriber through one conduit.
///
/// A subscriber that arrives at a step travels upstream, and each step on the way adds itself to those that follow it.
/// The compiler knows every type on the way, and specialises the whole run. Two of its limits show here. It stops
/// specialising a generic function that calls itself with a growing type, so there is a function for each number of
/// steps that have been gathered. And the time it takes grows with the depth of a type, so a run is cut after sixteen
/// steps: the sixteen are served by a conduit, and the next run begins with that conduit, erased.
public protocol _StepFusion {
    /// The publisher that is reached.
    associatedtype Base: Publisher

    /// Attaches a subscriber and the step before it.
    static func _fuse1<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 2 steps before it.
    static func _fuse2<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 3 steps before it.
    static func _fuse3<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 4 steps before it.
    static func _fuse4<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 5 steps before it.
    static func _fuse5<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 6 steps before it.
    static func _fuse6<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 7 steps before it.
    static func _fuse7<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 8 steps before it.
    static func _fuse8<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 9 steps before it.
    static func _fuse9<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 10 steps before it.
    static func _fuse10<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 11 steps before it.
    static func _fuse11<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 12 steps before it.
    static func _fuse12<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 13 steps before it.
    static func _fuse13<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 14 steps before it.
    static func _fuse14<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber and the 15 steps before it.
    static func _fuse15<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
}

extension Publisher {
    /// This publisher, as the type that its fusion serves.
    // Between equal types, which the compiler sees where it specialises a run, and from a class to one it inherits from.
    @inlinable public var _base: _Fusion.Base { self as! _Fusion.Base }
}

/// Creates the conduits of fused steps.
public protocol _StepConnector {
    /// Attaches a subscriber to the root of a run, through a conduit for the steps between them.
    static func _connect<Steps: _Step, Downstream: Subscriber>(
        _ root: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure

    /// Attaches a subscriber to a publisher that is itself a step, and begins a new run there.
    static func _cut<Steps: _Step, Downstream: Subscriber>(
        _ step: some Publisher<Steps.Input, Steps.InputFailure>, _ steps: Steps, _ downstream: Downstream
    ) where Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
}

/// A publisher that is no step: the run begins here.
public enum _RootFusion<Base: Publisher>: _StepFusion {
    @inlinable public static func _fuse1<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse2<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse3<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse4<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse5<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse6<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse7<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse8<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse9<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse10<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse11<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse12<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse13<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse14<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
    }

    @inlinable public static func _fuse15<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._connect(base, steps, downstream)
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

/// A publisher that is a step: it is gathered, and upstream is next.
public enum _ChainedFusion<Base: Publisher & _Staged>: _StepFusion
where Base._Stage.Output == Base.Output, Base._Stage.OutputFailure == Base.Failure {
    @inlinable public static func _fuse1<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse2(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse2<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse3(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse3<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse4(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse4<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse5(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse5<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse6(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse6<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse7(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse7<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse8(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse8<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse9(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse9<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse10(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse10<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse11(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse11<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse12(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse12<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse13(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse13<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse14(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse14<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        Base.Upstream._Fusion._fuse15(base.upstream._base, _StepChain(base._stage, steps), downstream, connector)
    }

    @inlinable public static func _fuse15<Steps: _Step, Downstream: Subscriber>(
        _ base: Base, _ steps: Steps, _ downstream: Downstream, _ connector: (some _StepConnector).Type
    )
    where
        Steps.Input == Base.Output, Steps.InputFailure == Base.Failure,
        Steps.Output == Downstream.Input, Steps.OutputFailure == Downstream.Failure
    {
        connector._cut(base, steps, downstream)
    }
}

/// A publisher that applies a step to the values of another publisher, and nothing else.
public protocol _StepPublisher: Publisher, _Staged
where _Fusion == _ChainedFusion<Self>, _Stage.Output == Output, _Stage.OutputFailure == Failure {}
