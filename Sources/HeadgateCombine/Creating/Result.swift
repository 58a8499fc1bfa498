import HeadgateCore
import HeadgateEngine

extension Result {
    /// A publisher of the value or of the failure.
    @inlinable public var publisher: Publisher { Publisher(self) }

    /// Publishes the value of a result and finishes, or fails.
    ///
    /// ```
    /// Result.success(7).publisher   7|
    /// Result.failure(e).publisher   x
    /// ```
    ///
    /// ```swift
    /// let cancellable = Result { try String(contentsOfFile: "/no/such/file", encoding: .utf8) }.publisher
    ///     .replaceError(with: "no such file")
    ///     .sink { print($0) }
    /// // no such file
    /// ```
    ///
    /// - **Demand**: the value waits for the first demand.
    /// - **Completion**: right behind the value; a failure comes at once, without demand.
    public struct Publisher: HeadgateCore.Publisher {
        /// What the result holds where it is a success.
        public typealias Output = Success

        /// The value or the failure.
        public let result: Result<Success, Failure>

        /// Makes a publisher of a result.
        @inlinable public init(_ result: Result<Success, Failure>) { self.result = result }

        /// Makes a publisher of one value.
        @inlinable public init(_ output: Success) { self.init(.success(output)) }

        /// Makes a publisher that fails.
        @inlinable public init(_ failure: Failure) { self.init(.failure(failure)) }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Success, Failure>) {
            switch result {
            case .success(let output): subscriber.connect(toOnly: output, name: "Once")
            case .failure(let failure): subscriber.connect(toEnd: .failure(failure))
            }
        }
    }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

extension Result.Publisher: Sendable where Success: Sendable {}
