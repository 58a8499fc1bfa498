import HeadgateCore
import HeadgateEngine

extension Publisher where Failure == Never {
    /// Passes everything on, as a stream that might fail, so that it goes together with streams that may.
    ///
    /// ```
    /// self            1---2---3---|
    /// setFailureType
    ///                 1---2---3---|
    /// ```
    ///
    /// ```swift
    /// struct Outage: Error {}
    /// let cancellable = (1...2).publisher
    ///     .setFailureType(to: Outage.self)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // finished
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: nothing a value. Fused with the operators around it.
    ///
    /// - Parameter failureType: The error that the result claims to fail with.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}

extension Publishers {
    /// A publisher that never fails, seen as one that might.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: _StepPublisher where Upstream.Failure == Never {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The publisher that never fails.
        public let upstream: Upstream

        /// Makes the publisher that `setFailureType(to:)` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// The step that changes the type alone.
        @inlinable public var _stage: _SetFailureTypeStep<Upstream, Failure> { _SetFailureTypeStep() }

        /// The same publisher, claiming to fail with another error.
        @inlinable public func setFailureType<E: Error>(to failure: E.Type) -> Publishers.SetFailureType<Upstream, E> {
            Publishers.SetFailureType<Upstream, E>(upstream: upstream)
        }
    }
}

extension Publishers.SetFailureType: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

/// What `setFailureType` does: the value is passed on, and the only completion there can be.
@frozen public struct _SetFailureTypeStep<Upstream: Publisher, OutputFailure: Error>: _Step, _UpstreamStep
where Upstream.Failure == Never {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @inlinable init() {}

    /// Never.
    @inlinable public static var _mayEnd: Bool { false }

    /// None: the subscription of upstream shows.
    @inlinable public static var _name: String { "" }

    /// Passes the value on.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, OutputFailure> { .next(input) }

    /// Finishes, for upstream can't have failed.
    @inlinable public func _receive(completion: Subscribers.Completion<Never>) -> Subscribers.Completion<OutputFailure>
    {
        .finished
    }
}
