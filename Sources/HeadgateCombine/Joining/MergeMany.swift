import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the values of this publisher and of another one of the same type, as they come.
    ///
    /// ```swift
    /// let cancellable = [1, 2].publisher.merge(with: [3].publisher)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `merge(with:)` with a publisher of another type.
    @inlinable public func merge(with other: Self) -> Publishers.MergeMany<Self> {
        Publishers.MergeMany(self, other)
    }
}

extension Publishers {
    /// A publisher of the values of any number of publishers of one type, as they come.
    ///
    /// Where there are none, it finishes at once.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        /// The values of all publishers.
        public typealias Output = Upstream.Output

        /// The errors of all publishers.
        public typealias Failure = Upstream.Failure

        /// The publishers.
        public let publishers: [Upstream]

        /// Makes a publisher of the values of those that are listed.
        @inlinable public init(_ upstream: Upstream...) {
            publishers = upstream
        }

        /// Makes a publisher of the values of those in a sequence.
        @inlinable public init<S: Swift.Sequence>(_ upstream: S) where Upstream == S.Element {
            publishers = Array(upstream)
        }

        /// Connects a subscriber to all publishers.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            MergeConduit.connect(publishers.map { MergeConduit.attach($0) }, to: subscriber)
        }

        /// Publishes the values of another publisher as well.
        @inlinable public func merge(with other: Upstream) -> Publishers.MergeMany<Upstream> {
            MergeMany(publishers + [other])
        }
    }
}

extension Publishers.MergeMany: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
