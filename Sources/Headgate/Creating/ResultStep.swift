import HeadgateCore
import HeadgateEngine

/// Completes the stream at the first failure among its values.
@usableFromInline struct ResultStep<Output, Failure: Error>: _Step {
    @usableFromInline var _failure: Failure?

    @inlinable init() {}

    @inlinable static var _name: String? { "Results" }

    @inlinable @inline(__always) mutating func _receive(
        _ input: Result<Output, Failure>, _ forward: (Output) -> Void
    ) -> _StepResult {
        switch input {
        case .success(let value):
            forward(value)
            return .next
        case .failure(let failure):
            _failure = failure
            return .end
        }
    }

    @inlinable func _failure(for failure: Never) -> Failure {}
}

/// Turns a publisher of results into one that may fail.
@usableFromInline struct ResultPublisher<Upstream: Publisher, Output, Failure: Error>: _StepPublisher
where Upstream.Output == Result<Output, Failure>, Upstream.Failure == Never {
    @usableFromInline typealias _Stage = ResultStep<Output, Failure>

    @usableFromInline let upstream: Upstream

    @inlinable init(_ upstream: Upstream) { self.upstream = upstream }

    @inlinable var _stage: ResultStep<Output, Failure> { ResultStep() }
}
