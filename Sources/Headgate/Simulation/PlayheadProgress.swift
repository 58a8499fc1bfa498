import HeadgateEngine

extension MediaPlayer {
    /// A publisher of the positions of the playhead.
    ///
    /// Drops a position for which there is no demand. To keep the most recent one, put `conflate` after it.
    ///
    /// ```
    /// player    play         pause
    /// self      0--0.25--0.5-0.6----      interval: 0.25
    /// ```
    ///
    /// ```swift
    /// let clock = VirtualMediaClock()
    /// let player = MediaPlayer(duration: 1, clock: clock)
    /// let subscription = player.playheadProgressPublisher(interval: 0.5, finishesAtEnd: true)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// player.play()
    /// clock.advance(by: 1)
    /// // 0.0
    /// // 0.5
    /// // 1.0
    /// // finished
    /// ```
    ///
    /// Each subscriber has its own observer, from the first demand until the completion, `cancel()` or the release of
    /// the subscription. Values arrive on the thread that moves the playhead. The publisher and its subscriptions
    /// retain the player.
    ///
    /// - **Demand**: values without demand are dropped.
    /// - **Completion**: finishes when the media have been played to their end, if `finishesAtEnd` is set; otherwise
    ///   never.
    /// - **Threads**: values are delivered on the thread that moves the playhead.
    /// - **Complexity**: constant time per value.
    ///
    /// - Parameters:
    ///   - interval: Seconds of media time between values, as for `addPeriodicTimeObserver(forInterval:queue:using:)`.
    ///   - finishesAtEnd: Whether the stream finishes, after the last value, when the media have been played to their
    ///     end. A seek of a paused player does not count.
    public func playheadProgressPublisher(
        interval: Double = 0.25, finishesAtEnd: Bool = false
    ) -> Publishers.PlayheadProgress {
        Publishers.PlayheadProgress(interval: interval, player: self, finishesAtEnd: finishesAtEnd)
    }
}

extension Publishers {
    /// A publisher of the positions of a `MediaPlayer`'s playhead.
    public struct PlayheadProgress: Publisher, Sendable {
        /// The position, in seconds from the beginning.
        public typealias Output = Double

        /// The type of error that the stream may fail with.
        public typealias Failure = Never

        /// Seconds of media time between values.
        public let interval: Double

        /// The player that is observed.
        public let player: MediaPlayer

        /// Whether the stream finishes when the media have been played to their end.
        public let finishesAtEnd: Bool

        /// Creates the publisher that `playheadProgressPublisher(interval:finishesAtEnd:)` returns.
        public init(interval: Double = 0.25, player: MediaPlayer, finishesAtEnd: Bool = false) {
            MediaPlayer.check(interval: interval)
            self.interval = interval
            self.player = player
            self.finishesAtEnd = finishesAtEnd
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let conduit = PushConduit<Double, Never>(name: "PlayheadProgress", to: subscriber) { conduit in
                let observer = player.observe(interval: interval, queue: nil) { [weak conduit] time, hasEnded in
                    conduit?.push(time)
                    if hasEnded, finishesAtEnd { conduit?.finish(.finished) }
                }
                return { player.removeTimeObserver(observer) }
            }
            conduit.send(to: subscriber)
        }
    }
}
