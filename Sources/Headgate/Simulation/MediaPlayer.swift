import Dispatch
import HeadgateEngine

// A lock guards `playback`; `alarm` belongs to the drain's owner.
/// A simulated media player: a playhead that moves with a clock, for programs without a screen or sound.
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
/// A player may be used from any thread. It does not retain itself while it plays.
public final class MediaPlayer: @unchecked Sendable {
    /// The length of the media in seconds, infinite if they have no end.
    public let duration: Double

    private let clock: any MediaClock
    private let playback: Guarded<MediaPlayback>

    // Serialises the notifications. `true` means that the alarm has gone off.
    private let drain = Drain()
    private var alarm: (moment: Int, cancellable: any Cancellable)?

    /// Creates a player that is paused at the beginning.
    ///
    /// - Parameters:
    ///   - duration: Seconds, zero or more, or infinite. Anything else traps.
    ///   - clock: The clock of the player.
    public init(duration: Double, clock: any MediaClock = DispatchMediaClock()) {
        require(
            duration >= 0, rule: "The duration of media is a number of seconds and can't be negative.",
            found: "\(duration)", remedy: "Pass .infinity for media without an end.")
        self.duration = duration
        self.clock = clock
        playback = Guarded(MediaPlayback(duration: duration, moment: clock.now))
    }

    deinit { alarm?.cancellable.cancel() }

    /// The position of the playhead, in seconds from the beginning.
    public var currentTime: Double {
        let now = clock.now
        return playback.withLock { $0.time(at: now) }
    }

    /// How many seconds of media are played per second: zero while paused, negative for playing backwards.
    ///
    /// Setting it starts playback, changes its speed, or stops it. There is nothing to play forwards at the end of the
    /// media, and nothing to play backwards at the beginning, so the rate stays zero there. A rate that is infinite or
    /// not a number traps.
    public var rate: Double {
        get { playback.withLock { $0.rate } }
        set {
            require(
                newValue.isFinite, rule: "The rate of a player must be a finite number.", found: "\(newValue)",
                remedy: "Use seek(to:) to move the playhead at once.")
            perform { $0.setRate(newValue, at: $1) }
        }
    }

    /// Plays at rate 1 from the current position.
    public func play() { rate = 1 }

    /// Stops at the current position.
    public func pause() { rate = 0 }

    /// Moves the playhead, without starting or stopping playback.
    ///
    /// A position before the beginning counts as the beginning, one after the end as the end. A playing player stops
    /// when it is moved to where nothing is left to play.
    ///
    /// - Parameter time: Seconds. Not-a-number, and infinity in media without an end, trap.
    public func seek(to time: Double) {
        require(
            !time.isNaN && min(time, duration) < .infinity,
            rule: "A position in media must be a finite number of seconds.", found: "seek(to: \(time))",
            remedy: "Check the number before seeking.")
        perform { $0.seek(to: time, at: $1) }
    }

    /// Calls a closure with the position of the playhead: whenever it passes a multiple of the interval while playing,
    /// and once at every seek, start and stop.
    ///
    /// Multiples are of media time: at rate 2 they are passed twice as often. If the player is woken late, the
    /// multiples passed in the meantime cause one call. The end of the media is a stop. A seek that is also a stop
    /// causes one call.
    ///
    /// - Parameters:
    ///   - interval: Seconds. Less than a microsecond counts as a microsecond; infinity reports only seeks, starts and
    ///     stops. Zero, negative numbers and not-a-number trap.
    ///   - queue: Where to call the closure. With `nil`, on the thread that causes the call: one of the clock, or the
    ///     one that starts, stops or moves the player. Calls are serial, unless the queue is concurrent.
    ///   - block: Called with the position in seconds.
    /// - Returns: The observer, to pass to `removeTimeObserver(_:)`. It stays registered until then.
    public func addPeriodicTimeObserver(
        forInterval interval: Double, queue: DispatchQueue? = nil, using block: @escaping @Sendable (Double) -> Void
    ) -> TimeObserver {
        observe(interval: interval, queue: queue) { time, _ in block(time) }
    }

    /// Removes an observer and releases its closure.
    ///
    /// Inside a call of the observer, and on its queue, there are no calls after this returns; on other threads, at
    /// most the one that is already running.
    ///
    /// - Parameter observer: The result of `addPeriodicTimeObserver`. Anything else is ignored.
    public func removeTimeObserver(_ observer: Any) {
        guard let observer = observer as? TimeObserver else { return }
        if playback.withLock({ $0.remove(observer) }) != nil {
            observer.clear()
            drain.run { self.sendNotifications(false) }
        }
    }

    /// Calls a closure as `addPeriodicTimeObserver` does, and reports whether the media have been played to their end.
    func observe(
        interval: Double, queue: DispatchQueue?, _ block: @escaping @Sendable (Double, Bool) -> Void
    ) -> TimeObserver {
        Self.check(interval: interval)
        let observer = TimeObserver(interval: max(interval, 1e-6), queue: queue, block: block)
        perform { $0.add(observer, at: $1) }
        return observer
    }

    static func check(interval: Double) {
        require(
            interval > 0, rule: "The interval of a time observer must be greater than zero seconds.",
            found: "\(interval)", remedy: "Pass .infinity to observe only seeks, starts and stops.")
    }

    private func perform(hasGoneOff: Bool = false, _ change: (inout MediaPlayback, Int) -> Void) {
        let now = clock.now
        playback.withLock { change(&$0, now) }
        drain.run { self.sendNotifications(hasGoneOff) }
    }

    private func wake() { perform(hasGoneOff: true) { $0.settle(at: $1) } }

    /// Sets the alarm and sends the pending notifications.
    private func sendNotifications(_ hasGoneOff: Bool) {
        if hasGoneOff { alarm = nil }
        while true {
            let (deadline, notification) = playback.withLock { ($0.nextDeadline, $0.outbox.popFirst()) }
            setAlarm(for: deadline)
            guard let notification else { return }
            for observer in notification.observers { observer.notify(notification.time, notification.hasEnded) }
        }
    }

    private func setAlarm(for deadline: Int?) {
        if alarm?.moment == deadline { return }
        alarm.take()?.cancellable.cancel()
        alarm = deadline.map { moment in (moment, clock.schedule(at: moment) { [weak self] in self?.wake() }) }
    }
}

extension MediaPlayer {
    // A lock guards the closure.
    /// A registered observer of the playhead.
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

        func notify(_ time: Double, _ hasEnded: Bool) {
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
