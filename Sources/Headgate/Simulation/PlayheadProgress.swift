import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension MediaPlayer {
    /// A publisher of the places that the playhead passes.
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
    /// Every subscriber has an observer of its own, from the first demand to the end, to `cancel()`, or until the
    /// subscription is let go of. Values come on the thread on which the playhead is moved. The publisher and its
    /// subscriptions keep the player.
    ///
    /// - **Demand**: what nobody asked for is dropped.
    /// - **Completion**: finishes when the media have been played to their end, if that was chosen; otherwise never.
    /// - **Complexity**: one atomic account and one drain a value.
    ///
    /// - Parameters:
    ///   - interval: Seconds of media time between values, as for `addPeriodicTimeObserver(forInterval:queue:using:)`.
    ///   - finishesAtEnd: Whether the stream finishes, behind the value of the end, when the media have been played to
    ///     their end. A jump of a player that is paused does not count.
    public func playheadProgressPublisher(
        interval: Double = 0.25, finishesAtEnd: Bool = false
    ) -> Publishers.PlayheadProgress {
        Publishers.PlayheadProgress(interval: interval, player: self, finishesAtEnd: finishesAtEnd)
    }
}

extension Publishers {
    /// A publisher of the places that the playhead of a `MediaPlayer` passes.
    public struct PlayheadProgress: Publisher, Sendable {
        /// Seconds from the beginning.
        public typealias Output = Double

        /// Nothing goes wrong.
        public typealias Failure = Never

        /// Seconds of media time between values.
        public let interval: Double

        /// The player that is observed.
        public let player: MediaPlayer

        /// Whether the stream finishes when the media have been played to their end.
        public let finishesAtEnd: Bool

        /// Makes the publisher that `playheadProgressPublisher(interval:finishesAtEnd:)` returns.
        public init(interval: Double = 0.25, player: MediaPlayer, finishesAtEnd: Bool = false) {
            MediaPlayer.check(interval: interval)
            self.interval = interval
            self.player = player
            self.finishesAtEnd = finishesAtEnd
        }

        /// Connects a subscriber to an observer of its own.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            subscriber.receive(
                subscription: PushConduit<Double, Never>(name: "PlayheadProgress", to: subscriber) { conduit in
                    let observer = player.observe(interval: interval, queue: nil) { [weak conduit] time, hasEnded in
                        conduit?.push(time)
                        if hasEnded, finishesAtEnd { conduit?.finish(.finished) }
                    }
                    return { player.removeTimeObserver(observer) }
                })
        }
    }
}
