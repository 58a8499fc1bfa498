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
        /// None is lost of a source that waits for demand, and the buffer is bounded for all; this is what `values` does.
        ///
        /// - A source that answers at once, such as a sequence, also after `map` or `filter`, is read one by one, when the
        ///   loop comes for a value. Nothing is buffered.
        /// - Any other that is known to wait, such as a sequence after `receive(on:)` or `delay`, is read 64 values ahead
        ///   at most: 64 are requested, and 32 more whenever the loop has taken 32.
        /// - A state, which is a `CurrentValueSubject` or a `@Published` property, also after `map` or `filter`, keeps its
        ///   most recent value for the loop. What it was in between is not delivered to a loop whose body is slow.
        /// - Of any other source, such as a `PassthroughSubject`, a timer, or somebody else's publisher, 65,536 values are
        ///   requested, and 32,768 more whenever the loop has taken as many. One that waits for demand loses nothing; one
        ///   that can't wait loses what it publishes while so many values are waiting for the loop. The first time that
        ///   happens to a loop, a line on the standard error stream says so. Use `.bounded` for another bound, `.newest` to
        ///   lose the oldest instead, or `buffer(size:prefetch:whenFull:)` to fail.
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

extension Publisher where Failure == Never, Output: StrictlySendable {
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

extension Publisher where Output: StrictlySendable {
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
