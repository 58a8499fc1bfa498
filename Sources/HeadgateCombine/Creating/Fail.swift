import HeadgateEngine

/// Fails at once.
///
/// ```
/// Fail(error: e)   x
/// ```
///
/// ```swift
/// import Foundation
/// import HeadgateCombine
///
/// let cancellable = Fail<Int, URLError>(error: URLError(.cancelled))
///     .replaceError(with: 0)
///     .sink { print($0) }
/// // 0
/// ```
///
/// - **Demand**: ignored.
/// - **Completion**: fails at once, without demand.
/// - **Threads**: fails on the subscribing thread.
public struct Fail<Output, Failure: Error>: Publisher, Sendable {
    /// The failure that every subscriber receives.
    public let error: Failure

    /// Creates a publisher that fails.
    @inlinable public init(error: Failure) { self.error = error }

    /// Creates a publisher that fails, with an explicit output type where it can't be inferred.
    @inlinable public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

    /// Attaches a subscriber; `subscribe(_:)` calls this.
    @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
        subscriber.complete(with: .failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}
