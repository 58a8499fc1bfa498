#if os(Linux)
    import Dispatch

    /// How long a replaced file is still read.
    ///
    /// A program goes on writing to a log after rotation has renamed it, until it opens the new one.
    ///
    /// ```swift no-run
    /// let lines = File("/var/log/app.log").followLines(from: .end, rotateWait: RotateWait(.seconds(30)))
    /// ```
    public struct RotateWait: Sendable {
        let time: Duration

        let alarm: Alarm

        /// Creates a limit.
        ///
        /// - Parameters:
        ///   - time: The minimum time for which a replaced file is still read. A negative one traps.
        ///   - scheduler: The clock that measures it.
        public init(_ time: Duration, scheduler: some Scheduler & Sendable = DispatchQueue.global()) {
            require(
                time >= .zero, rule: "The time for which a replaced file is read on is at least zero.",
                found: "\(time)", remedy: "Pass a time of zero to leave the file at its end.")
            self.time = time
            alarm = Alarm(scheduler)
        }

        /// A number of seconds, by the clock of Dispatch.
        public static func seconds(_ count: Int) -> RotateWait { RotateWait(.seconds(count)) }
    }

    /// Whether a time has passed, measured once.
    final class Expiry: Sendable {
        private let state = Guarded((isOver: false, alarm: AnyCancellable?.none))

        /// Wakes up the stream when the time has passed; a time of zero has passed already.
        init(after time: Duration, _ alarm: Alarm, waking watcher: FileWatcher) {
            if time <= .zero {
                state.withLock { $0.isOver = true }
                return
            }
            let pending = alarm.after(time) { [weak self, weak watcher] in
                self?.state.withLock { $0.isOver = true }
                watcher?.wakeUp()
            }
            state.withLock { $0.alarm = pending }
        }

        var isOver: Bool { state.withLock { $0.isOver } }
    }
#endif
