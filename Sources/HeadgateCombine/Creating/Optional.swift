import HeadgateCore
import HeadgateEngine

extension Optional {
    /// A publisher of the value, or of nothing where there is none.
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
    /// - **Completion**: right behind the value; at once, without demand, where there is none.
    public struct Publisher: HeadgateCore.Publisher {
        /// What the optional holds.
        public typealias Output = Wrapped

        /// It never fails.
        public typealias Failure = Never

        /// The value, if there is one.
        public let output: Wrapped?

        /// Makes a publisher of an optional's value.
        @inlinable public init(_ output: Wrapped?) { self.output = output }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Wrapped, Never>) {
            if let output {
                subscriber.connect(toOnly: output, name: "Optional")
            } else {
                subscriber.connect(toEnd: .finished)
            }
        }
    }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Optional.Publisher: Sendable where Wrapped: Sendable {}
