import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publishers {
    /// What becomes of values that are published while the body of a `for await` loop runs.
    ///
    /// ```swift
    /// for await number in (1...100).publisher.values(buffering: .newest(2)) {
    ///     print(number)
    /// }
    /// // 99
    /// // 100
    /// ```
    public enum AsyncBuffering: Hashable, Sendable {
        /// None is lost.
        ///
        /// A source that is known to wait, such as a sequence, also behind `map`, `receive(on:)` or `delay`, is asked for
        /// its values one by one, and nothing is buffered. Every other is asked for everything, and what the loop has not
        /// come to is buffered without a limit. To a source that has no end and that is not known to wait, as a sequence
        /// behind `flatMap`, give `.onDemand` or `.bounded`.
        case lossless

        /// One value is asked for whenever the loop comes for one, and nothing is buffered.
        ///
        /// A source that can't wait, such as a subject, loses what it publishes meanwhile.
        case onDemand

        /// So many values are asked for ahead, one at the least, and one more for each that the loop takes.
        ///
        /// A source that can't wait loses what it publishes while so many are buffered. A number below one is a
        /// programmer's error and traps when the loop begins.
        case bounded(Int)

        /// Everything is asked for, and the newest values are buffered, so many at the most, one at the least.
        ///
        /// A newer value takes the place of the oldest. A number below one is a programmer's error and traps when the
        /// loop begins.
        case newest(Int)

        @inlinable var policy: AsyncPolicy {
            switch self {
            case .lossless: .lossless
            case .onDemand: .onDemand
            case .bounded(let count): .bounded(count)
            case .newest(let count): .newest(count)
            }
        }
    }
}

extension Publisher where Failure == Never {
    /// The values, for a `for await` loop, with a rule for those that are published while the body of the loop runs.
    ///
    /// ```swift
    /// for await number in (1...3).publisher.values(buffering: .onDemand) {
    ///     print(number)
    /// }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: as `buffering` says.
    /// - **Completion** and **Complexity**: as with `values`.
    ///
    /// - Parameter buffering: How many values to ask for, and how many to keep.
    @inlinable public func values(buffering: Publishers.AsyncBuffering) -> AsyncPublisher<Self> {
        AsyncPublisher(self, buffering: buffering)
    }
}

extension AsyncPublisher {
    /// Makes the sequence that `values(buffering:)` returns.
    @inlinable public init(_ publisher: P, buffering: Publishers.AsyncBuffering) {
        self.init(publisher, policy: buffering.policy)
    }
}

extension Publisher {
    /// The values, for a `for try await` loop, with a rule for those that are published while the body of the loop runs.
    ///
    /// ```swift
    /// for try await number in [1, 2].publisher.tryMap({ $0 * 10 }).values(buffering: .bounded(8)) {
    ///     print(number)
    /// }
    /// // 10
    /// // 20
    /// ```
    ///
    /// - **Demand**: as `buffering` says.
    /// - **Completion** and **Complexity**: as with `values`.
    ///
    /// - Parameter buffering: How many values to ask for, and how many to keep.
    @inlinable public func values(buffering: Publishers.AsyncBuffering) -> AsyncThrowingPublisher<Self> {
        AsyncThrowingPublisher(self, buffering: buffering)
    }
}

extension AsyncThrowingPublisher {
    /// Makes the sequence that `values(buffering:)` returns.
    @inlinable public init(_ publisher: P, buffering: Publishers.AsyncBuffering) {
        self.init(publisher, policy: buffering.policy)
    }
}
