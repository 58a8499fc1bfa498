import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and makes a new error of the one with which the stream fails.
    ///
    /// ```
    /// self      1---2---x
    /// mapError
    ///           1---2---x      another error
    /// ```
    ///
    /// ```swift
    /// struct Unreachable: Error {}
    /// struct Outage: Error { let reason: any Error }
    /// let cancellable = Fail<Int, Unreachable>(error: Unreachable())
    ///     .mapError { Outage(reason: $0) }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Outage(reason: main.Unreachable()))
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on; a failure is translated.
    /// - **Complexity**: nothing a value, one call of the closure at a failure. Fused with the operators around it.
    ///
    /// - Parameter transform: Makes a new error of upstream's. Called on the thread that delivers it.
    @inlinable public func mapError<E: Error>(_ transform: @escaping StreamClosure<Failure, E>)
        -> Publishers.MapError<Self, E>
    {
        Publishers.MapError(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher that translates the error of another one.
    public struct MapError<Upstream: Publisher, Failure: Error>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The publisher whose error is translated.
        public let upstream: Upstream

        /// What makes a new error of upstream's.
        public let transform: StreamClosure<Upstream.Failure, Failure>

        /// Makes the publisher that `mapError(_:)` returns.
        @inlinable public init(upstream: Upstream, transform: @escaping StreamClosure<Upstream.Failure, Failure>) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Makes the publisher that `mapError(_:)` returns.
        @inlinable public init(upstream: Upstream, _ map: @escaping StreamClosure<Upstream.Failure, Failure>) {
            self.init(upstream: upstream, transform: map)
        }

        /// The step that calls the closure.
        @inlinable public var _stage: _FailureStep<Upstream, Failure> {
            _FailureStep(transform: transform)
        }
    }
}

extension Publishers.MapError: StrictlySendable where Upstream: StrictlySendable {}

/// What `mapError` and `assertNoFailure` do: the value is passed on, and the failure translated.
@frozen public struct _FailureStep<Upstream: Publisher, OutputFailure: Error>: _Step, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let transform: (Upstream.Failure) -> OutputFailure

    @inlinable init(transform: @escaping (Upstream.Failure) -> OutputFailure) { self.transform = transform }

    /// Never.
    @inlinable public static var _mayEnd: Bool { false }

    /// None: the subscription of upstream shows.
    @inlinable public static var _name: String { "" }

    /// Passes the value on.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, OutputFailure> { .next(input) }

    /// Translates the failure.
    @inlinable public func _receive(
        completion: Subscribers.Completion<Upstream.Failure>
    ) -> Subscribers.Completion<OutputFailure> {
        completion.mapFailure(transform)
    }
}
