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
