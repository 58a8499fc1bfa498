import Dispatch
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

// What threads share is in `playback`, behind its lock, and in `alarm`, which belongs to the owner of the drain.
/// A player of media that are not there: a playhead that moves with a clock, for programs without a screen or sound.
///
/// ```swift
/// let clock = VirtualMediaClock()
/// let player = MediaPlayer(duration: 2, clock: clock)
/// let observer = player.addPeriodicTimeObserver(forInterval: 0.5, queue: nil) { print($0) }
/// player.play()
/// clock.advance(by: 1.2)
/// player.pause()
/// player.removeTimeObserver(observer)
/// // 0.0
/// // 0.5
/// // 1.0
/// // 1.2
/// ```
///
/// A player may be used from any thread. It does not keep itself alive while it plays.
public final class MediaPlayer: @unchecked Sendable {
    /// The length of the media in seconds, infinite where they have no end.
    public let duration: Double

    private let clock: any MediaClock
    private let playback: Guarded<MediaPlayback>

    // What is done is told in order, by one thread at a time. `true` says that the alarm has gone off.
    private let drain = Drain()
    private var alarm: (moment: Int, cancellable: any Cancellable)?

    /// Makes a player that is paused at the beginning.
    ///
    /// - Parameters:
    ///   - duration: Seconds, zero or more, or infinite. Anything else is a programmer's error and traps.
    ///   - clock: The time that the player goes by.
    public init(duration: Double, clock: any MediaClock = DispatchMediaClock()) {
        if !(duration >= 0) {
            programmerError(
                rule: "The duration of media is a number of seconds and can't be negative.", found: "\(duration)",
                remedy: "Use .infinity for media without an end.")
        }
        self.duration = duration
        self.clock = clock
        playback = Guarded(MediaPlayback(duration: duration, moment: clock.now))
    }

    deinit { alarm?.cancellable.cancel() }

    /// Where the playhead is, in seconds from the beginning.
    public var currentTime: Double {
        let now = clock.now
        return playback.withLock { $0.time(at: now) }
    }

    /// How many seconds of media are played in a second: zero while paused, negative for going back.
    ///
    /// Setting it starts the playing, changes its speed, or stops it. At the end of the media nothing is left to play
    /// forward, and at the beginning nothing backward, so the rate stays zero there. Setting a rate that is infinite or
    /// not a number is a programmer's error and traps.
    public var rate: Double {
        get { playback.withLock { $0.rate } }
        set {
            if !newValue.isFinite {
                programmerError(
                    rule: "The rate of a player is a finite number.", found: "\(newValue)",
                    remedy: "Use seek(to:) to move the playhead at once.")
            }
            perform { $0.setRate(newValue, at: $1) }
        }
    }

    /// Plays at the rate 1, from where the playhead is.
    public func play() { rate = 1 }

    /// Stops where the playhead is.
    public func pause() { rate = 0 }

    /// Moves the playhead, without changing whether the player plays.
    ///
    /// A place before the beginning counts as the beginning, one behind the end as the end. A player that plays stops
    /// when it is moved to where there is nothing more to play.
    ///
    /// - Parameter time: Seconds. Not-a-number, and infinity in media without an end, is a programmer's error and traps.
    public func seek(to time: Double) {
        if time.isNaN || min(time, duration) == .infinity {
            programmerError(
                rule: "A place in media is a finite number of seconds.", found: "seek(to: \(time))",
                remedy: "See where the number comes from.")
        }
        perform { $0.seek(to: time, at: $1) }
    }

    /// Tells a closure where the playhead is: whenever it passes a multiple of the interval while playing, and once at
    /// every jump, start and stop.
    ///
    /// Multiples are of media time: at the rate 2 they are passed twice as often. When the player is woken late, what
    /// was passed meanwhile counts as one. The end of the media is a stop. A jump that is also a stop is told once.
    ///
    /// - Parameters:
    ///   - interval: Seconds. Less than a microsecond counts as a microsecond; with infinity, only jumps, starts and
    ///     stops are told. Zero, a negative number and not-a-number are programmer's errors and trap.
    ///   - queue: Where to call the closure; where it happens if there is none, be it a thread of the clock or the one
    ///     that starts, stops or moves the player. Calls come one after the other, unless the queue is concurrent.
    ///   - block: What to do with the time in seconds.
    /// - Returns: What `removeTimeObserver(_:)` takes. The observer stays until then.
    public func addPeriodicTimeObserver(
        forInterval interval: Double, queue: DispatchQueue? = nil, using block: @escaping @Sendable (Double) -> Void
    ) -> TimeObserver {
        observe(interval: interval, queue: queue) { time, _ in block(time) }
    }

    /// Takes an observer out and lets go of its closure.
    ///
    /// Inside a call to the observer, and on its queue, no more calls come after this returns; on other threads, at most
    /// the one under way.
    ///
    /// - Parameter observer: What `addPeriodicTimeObserver` has returned. Anything else is ignored.
    public func removeTimeObserver(_ observer: Any) {
        guard let observer = observer as? TimeObserver else { return }
        if playback.withLock({ $0.remove(observer) }) != nil {
            observer.clear()
            drain.run { self.tell(false) }
        }
    }

    /// Calls a closure as `addPeriodicTimeObserver` does, and also says whether the media have been played to their end.
    func observe(
        interval: Double, queue: DispatchQueue?, _ block: @escaping @Sendable (Double, Bool) -> Void
    ) -> TimeObserver {
        Self.check(interval: interval)
        let observer = TimeObserver(interval: max(interval, 1e-6), queue: queue, block: block)
        perform { $0.add(observer, at: $1) }
        return observer
    }

    static func check(interval: Double) {
        if !(interval > 0) {
            programmerError(
                rule: "The interval of a time observer is a number of seconds greater than zero.", found: "\(interval)",
                remedy: "Use .infinity to be told of jumps, starts and stops only.")
        }
    }

    private func perform(_ change: (inout MediaPlayback, Int) -> Void) {
        let now = clock.now
        playback.withLock { change(&$0, now) }
        drain.run { self.tell(false) }
    }

    private func wake() {
        let now = clock.now
        playback.withLock { $0.settle(at: now) }
        drain.run { self.tell(true) }
    }

    /// Sets the alarm and tells the observers what they have not been told.
    private func tell(_ hasGoneOff: Bool) {
        if hasGoneOff { alarm = nil }
        while true {
            let (deadline, notification) = playback.withLock { ($0.nextDeadline, $0.outbox.popFirst()) }
            setAlarm(for: deadline)
            guard let notification else { return }
            for observer in notification.observers { observer.hear(notification.time, notification.hasEnded) }
        }
    }

    private func setAlarm(for deadline: Int?) {
        if alarm?.moment == deadline { return }
        alarm.take()?.cancellable.cancel()
        alarm = deadline.map { moment in (moment, clock.schedule(at: moment) { [weak self] in self?.wake() }) }
    }
}

extension MediaPlayer {
    // The closure is behind the lock.
    /// Somebody who is told where the playhead is.
    public final class TimeObserver: @unchecked Sendable {
        let interval: Double
        private let queue: DispatchQueue?
        private let block: Guarded<Block?>

        private struct Block: Sendable {
            let call: @Sendable (Double, Bool) -> Void
        }

        init(interval: Double, queue: DispatchQueue?, block: @escaping @Sendable (Double, Bool) -> Void) {
            self.interval = interval
            self.queue = queue
            self.block = Guarded(Block(call: block))
        }

        func hear(_ time: Double, _ hasEnded: Bool) {
            if let queue {
                queue.async { self.call(time, hasEnded) }
            } else {
                call(time, hasEnded)
            }
        }

        func clear() {
            _ = block.withLock { $0.take() }
        }

        private func call(_ time: Double, _ hasEnded: Bool) {
            let block = block.withLock { $0 }
            block?.call(time, hasEnded)
        }
    }
}
