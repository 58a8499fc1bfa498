import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Makes one publisher of the first value and of the stream that begins with it, and publishes what that publishes.
    ///
    /// ```
    /// self           --3---1---2---|
    /// switchOnFirst  prefix(3)
    ///                --3---1---2|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["csv", "a,b", "c,d"].publisher
    ///     .switchOnFirst { format, lines in
    ///         lines.dropFirst().map { line in format == "csv" ? line.split(separator: ",").count : 1 }
    ///     }
    ///     .sink { print($0) }
    /// // 2
    /// // 2
    /// ```
    ///
    /// Use it where the first value says what to make of the others: a header, a version, a request. The stream that the
    /// closure gets has all values, the first included, for one subscriber; further ones finish at once. Until it is
    /// subscribed to, it holds upstream back.
    ///
    /// - **Demand**: the publisher that is made gets the demand. Upstream is requested one value when it is subscribed to,
    ///   and the next when that one has been taken.
    /// - **Completion**: as the publisher that is made ends, and upstream is cancelled. The end of upstream is heard by the
    ///   publisher that is made. An upstream that ends without a value ends the stream, and the closure is not called.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameter transform: Makes a publisher of the first value and the whole stream. Called once, on the thread that
    ///   delivers the value.
    @inlinable public func switchOnFirst<P: Publisher>(
        _ transform: @escaping StreamClosure<Output, AnyPublisher<Output, Failure>, P>
    ) -> Publishers.SwitchOnFirst<P, Self> where P.Failure == Failure {
        Publishers.SwitchOnFirst(upstream: self, transform: transform)
    }
}

extension Publishers {
    /// A publisher of what is made of the first value of another publisher, and of its stream.
    public struct SwitchOnFirst<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// The values of the publisher that is made.
        public typealias Output = NewPublisher.Output

        /// The errors of the publisher that is made.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first value is looked at.
        public let upstream: Upstream

        /// What makes a publisher of the first value and the whole stream.
        public let transform: StreamClosure<Upstream.Output, AnyPublisher<Upstream.Output, Failure>, NewPublisher>

        /// Makes the publisher that `switchOnFirst(_:)` returns.
        @inlinable public init(
            upstream: Upstream,
            transform: @escaping StreamClosure<Upstream.Output, AnyPublisher<Upstream.Output, Failure>, NewPublisher>
        ) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let publishers = HeadPublisher(upstream: upstream).map(
                serially { [transform] branch in
                    transform(branch.label, AnyPublisher(hiding: BranchValues(branch: branch)))
                })
            SwitchConduit.connect(publishers, name: "SwitchOnFirst", finishesWithInner: true, to: subscriber)
        }
    }
}

extension Publishers.SwitchOnFirst: StrictlySendable where Upstream: StrictlySendable {}

/// The one branch of a `HeadConduit`.
@usableFromInline struct HeadPublisher<Upstream: Publisher>: Publisher {
    @usableFromInline typealias Output = Branch<Upstream.Output, Upstream.Output, Upstream.Failure>

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let upstream: Upstream

    @inlinable init(upstream: Upstream) { self.upstream = upstream }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        HeadConduit.connect(upstream, name: "SwitchOnFirst", to: subscriber)
    }
}
