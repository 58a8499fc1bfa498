import HeadgateCore
import HeadgateEngine

/// Fails at once.
///
/// ```
/// Fail(error: e)   x
/// ```
///
/// ```swift
/// let cancellable = Fail<Int, URLError>(error: URLError(.cancelled))
///     .replaceError(with: 0)
///     .sink { print($0) }
/// // 0
/// ```
///
/// - **Demand**: of no consequence.
/// - **Completion**: the failure, at once, without demand.
public struct Fail<Output, Failure: Error>: Publisher {
    /// The failure that every subscriber gets.
    public let error: Failure

    /// Makes a publisher that fails.
    @inlinable public init(error: Failure) { self.error = error }

    /// Makes a publisher that fails, of an output type that can't be inferred otherwise.
    @inlinable public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

    /// Connects a subscriber.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        subscriber.connect(toEnd: .failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}

extension Fail: Sendable {}
