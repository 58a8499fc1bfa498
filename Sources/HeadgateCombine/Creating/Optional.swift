import HeadgateEngine

extension Optional {
    // Disfavoured beside the one that programs for Apple's older systems define.
    /// A publisher of the value, if there is one.
    ///
    /// ```
    /// publisher  (1|)
    /// ```
    @_disfavoredOverload
    @inlinable public var publisher: Publisher { Publisher(self) }

    /// Publishes the value of an optional, if there is one, and finishes.
    ///
    /// ```
    /// Optional(7).publisher   7|
    /// nil.publisher           |
    /// ```
    ///
    /// ```swift
    /// let cancellable = Int("7").publisher.sink { print($0) }
    /// // 7
    /// ```
    ///
    /// - **Demand**: the value waits for the first demand.
    /// - **Completion**: right after the value; without a value, at once and without demand.
    /// - **Threads**: the value is delivered on the thread of the first request; without a value, finishes on the
    ///   subscribing thread.
    public struct Publisher: HeadgateCore.Publisher {
        /// The type of the published values.
        public typealias Output = Wrapped
        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// The value, if there is one.
        public let output: Wrapped?

        /// Creates a publisher of an optional's value.
        @inlinable public init(_ output: Wrapped?) { self.output = output }

        /// The only value, if this has it already.
        @inlinable public var _soleValue: Output? { output }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Wrapped, Never>) {
            if let output {
                subscriber.serve(only: output, name: "Optional")
            } else {
                subscriber.complete(with: .finished)
            }
        }
    }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Optional.Publisher: Sendable where Wrapped: Sendable {}
