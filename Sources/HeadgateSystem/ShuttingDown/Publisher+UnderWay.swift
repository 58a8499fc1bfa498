extension Publisher {
    /// Makes a shutdown wait for this stream, and cut it off at the deadline.
    ///
    /// ```
    /// self      1---2---3---4---
    /// deadline  ----------d
    /// underWay  1---2---3-|
    /// ```
    ///
    /// ```swift no-run
    /// let cancellable = requests.stopped(by: shutdown.stop)
    ///     .flatMap(maxPublishers: .max(16)) { answer($0) }
    ///     .underWay(in: shutdown)
    ///     .sink { _ in }
    /// ```
    ///
    /// Put it last, right before the subscriber. If that is a writer, such as `write(to:)` or the input of a `Command`,
    /// the stream is under way until the writer has handed over the last byte, to the disk if its `durability` demands that, or
    /// has failed; operators between the two change nothing, except those that share a stream.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: as upstream; at the deadline it finishes and cancels upstream. The shutdown counts it until
    ///   its subscriber has received the completion or cancelled, and its writer has ended. A writer that is cut off
    ///   fails with the code `ECANCELED`: it resets its connection and leaves the file it was to replace.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. The end at the deadline is
    ///   delivered on the thread that cuts the streams off.
    /// - **Complexity**: as for `prefix(untilOutputFrom:)`, and two updates under a lock per subscriber.
    public func underWay(in shutdown: GracefulShutdown) -> Publishers.UnderWay<Self> {
        Publishers.UnderWay(upstream: self, shutdown: shutdown)
    }
}

extension Publishers {
    /// A publisher that a shutdown waits for.
    public struct UnderWay<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The publisher that it waits for.
        public let upstream: Upstream

        /// The shutdown that waits.
        public let shutdown: GracefulShutdown

        /// Connects a subscriber; the shutdown waits for it from now on.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let enclosure = PendingEnclosure(in: shutdown)
            upstream.stopped(by: shutdown.cutOff)
                .receive(subscriber: EnclosingConduit(name: "UnderWay", enclosure, subscriber))
        }
    }
}

extension Publishers.UnderWay: Sendable where Upstream: Sendable {}

/// Ends the stream's own part when the subscriber has received the completion or cancelled.
@usableFromInline struct PendingEnclosure: Enclosure {
    private let pending: PendingStream
    // Once, and at the latest when it is released.
    private let streamEnd: AnyCancellable

    @usableFromInline init(in shutdown: GracefulShutdown) {
        let pending = PendingStream(in: shutdown)
        self.pending = pending
        streamEnd = AnyCancellable(pending.leave)
    }

    @inlinable func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result {
        passage == .value || passage == .request ? forward() : mark(passage, forward)
    }

    @usableFromInline func mark<Result>(_ passage: Passage, _ forward: () -> Result) -> Result {
        defer { if passage != .subscription { streamEnd.cancel() } }
        return passage == .cancel ? forward() : PendingStream.$current.withValue(pending, operation: forward)
    }
}
