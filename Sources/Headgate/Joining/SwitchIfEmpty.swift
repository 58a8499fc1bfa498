import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Goes on with another publisher when this one finishes without a value.
    ///
    /// ```
    /// self      ----|
    /// other         8---9--|
    ///           ----8---9--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = Empty<String, Never>()
    ///     .switchIfEmpty(to: ["a", "b"].publisher)
    ///     .sink { print($0) }
    /// // a
    /// // b
    /// ```
    ///
    /// - **Demand**: passed on to whichever publisher goes.
    /// - **Completion**: passed on as it is; where this publisher is empty, that of the other one.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter other: The other publisher.
    @inlinable public func switchIfEmpty<Other: Publisher>(to other: Other) -> Publishers.SwitchIfEmpty<Self, Other>
    where Other.Output == Output, Other.Failure == Failure {
        Publishers.SwitchIfEmpty(upstream: self, other: other)
    }

    /// Publishes a value if this publisher finishes without one: `replaceEmpty(with:)` under the name that other libraries
    /// have for it.
    ///
    /// ```
    /// self            ----|
    /// defaultIfEmpty  0
    ///                 ----(0|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = Empty<String, Never>()
    ///     .defaultIfEmpty("none")
    ///     .sink { print($0) }
    /// // none
    /// ```
    ///
    /// **Demand**, **Completion** and **Complexity** are those of `replaceEmpty(with:)`.
    ///
    /// - Parameter output: The value.
    @inlinable public func defaultIfEmpty(_ output: Output) -> Publishers.ReplaceEmpty<Self> {
        replaceEmpty(with: output)
    }
}

extension Publishers {
    /// A publisher that goes on with another publisher when the first one is empty.
    public struct SwitchIfEmpty<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Output == Other.Output, Upstream.Failure == Other.Failure {
        /// The values of either publisher.
        public typealias Output = Upstream.Output

        /// The errors of either publisher.
        public typealias Failure = Upstream.Failure

        /// The publisher that may be empty.
        public let upstream: Upstream

        /// The publisher to go on with.
        public let other: Other

        /// Makes the publisher that `switchIfEmpty(to:)` returns.
        @inlinable public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Connects a subscriber to the first publisher.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let (upstream, other) = (upstream, other)
            let conduit = SuccessionConduit<Output, Failure>(name: "SwitchIfEmpty", to: subscriber)
            conduit.proceed { conduit, turn in
                upstream.receive(
                    subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                        guard case .finished = completion, conduit.served == 0 else { return conduit.end(completion) }
                        conduit.proceed { conduit, turn in
                            other.receive(subscriber: SuccessionSubscriber(conduit, turn: turn) { $0.end($1) })
                        }
                    })
            }
        }
    }
}

extension Publishers.SwitchIfEmpty: StrictlySendable where Upstream: StrictlySendable, Other: StrictlySendable {}

extension Publishers.SwitchIfEmpty: Equatable where Upstream: Equatable, Other: Equatable {}
