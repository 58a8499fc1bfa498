import HeadgateEngine

extension Result {
    /// A publisher of the value or the failure.
    @inlinable public var publisher: Publisher { Publisher(self) }

    /// Publishes the value of a result and finishes, or fails.
    ///
    /// ```
    /// Result.success(7).publisher   7|
    /// Result.failure(e).publisher   x
    /// ```
    ///
    /// ```swift
    /// import Foundation
    /// import HeadgateCombine
    ///
    /// let cancellable = Result { try String(contentsOfFile: "/no/such/file", encoding: .utf8) }.publisher
    ///     .replaceError(with: "no such file")
    ///     .sink { print($0) }
    /// // no such file
    /// ```
    ///
    /// - **Demand**: the value waits for the first demand.
    /// - **Completion**: right after the value; a failure needs no demand.
    /// - **Threads**: the value is delivered on the thread of the first request, a failure on the subscribing thread.
    public struct Publisher: HeadgateCore.Publisher {
        /// The type of the published values.
        public typealias Output = Success

        /// The value or the failure.
        public let result: Result<Success, Failure>

        /// Creates a publisher of a result.
        @inlinable public init(_ result: Result<Success, Failure>) { self.result = result }

        /// Creates a publisher of one value.
        @inlinable public init(_ output: Success) { self.init(.success(output)) }

        /// Creates a publisher that fails.
        @inlinable public init(_ failure: Failure) { self.init(.failure(failure)) }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Success, Failure>) {
            switch result {
            case .success(let output): subscriber.serve(only: output, name: "Once")
            case .failure(let failure): subscriber.complete(with: .failure(failure))
            }
        }
    }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

extension Result.Publisher: Sendable where Success: Sendable {}
