import HeadgateCore

extension Publisher where Failure == Never {
    /// Declares an error type for a publisher that never fails.
    @inlinable
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}

extension Publishers {
    /// A publisher that never fails, declared to be one that may.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: _StepPublisher where Upstream.Failure == Never {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The publisher that never fails.
        public let upstream: Upstream

        /// Makes the publisher that `setFailureType(to:)` returns.
        @inlinable
        public init(upstream: Upstream) { self.upstream = upstream }

        /// The step that changes the type of the completion.
        @inlinable
        public var _stage: _SetFailureTypeStep<Output, Failure> { _SetFailureTypeStep() }
    }
}

/// What `setFailureType(to:)` does.
@frozen
public struct _SetFailureTypeStep<Output, OutputFailure: Error>: _Step {
    @inlinable
    init() {}

    /// Never.
    @inlinable
    public static var _mayEnd: Bool { false }

    /// None.
    @inlinable
    public static var _name: String { "" }

    /// Passes the value on.
    @inlinable
    public mutating func _receive(_ input: Output) -> _StepResult<Output, OutputFailure> { .next(input) }

    /// Passes the only completion there can be on.
    @inlinable
    public func _receive(completion: Subscribers.Completion<Never>) -> Subscribers.Completion<OutputFailure> {
        .finished
    }
}
