import HeadgateCore

/// A turn of a succession in which nothing is delivered until the pause is ended.
///
/// It takes the place of an upstream, so `cancel()` reaches it, and what the subscriber requests meanwhile is requested
/// from the upstream that follows. Until then it retains the conduit, which nothing else does.
@usableFromInline package final class SuccessionPause<Output, Failure: Error>: ConduitSubscription, SignalHandling {
    @usableFromInline package typealias Conduit = SuccessionConduit<Output, Failure>

    /// What a pause retains until it ends or is cancelled.
    @usableFromInline package struct Held {
        @usableFromInline package let conduit: Conduit

        /// The upstream that follows, if it is known when the pause begins.
        @usableFromInline package var next: Conduit.Attach?

        /// The alarm that ends the pause, to be cancelled with the stream.
        @usableFromInline package var alarm: (any Alarm)?

        @inlinable init(_ conduit: Conduit) { self.conduit = conduit }
    }

    @usableFromInline package let held: Guarded<Held?>

    @usableFromInline package let turn: Int

    @usableFromInline package init(_ conduit: Conduit, turn: Int) {
        self.turn = turn
        held = Guarded(nil)
        super.init(handle: SuccessionPause.handling)
        held.withLock { $0 = Held(conduit) }
    }

    /// Does nothing: the conduit's account has the demand already.
    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) {}

    // What was held is released outside the lock.
    @usableFromInline package func handleCancel() { take()?.alarm?.cancel() }

    @usableFromInline package func take() -> Held? { held.withLock { $0.take() } }

    /// Ensures that the alarm that ends the pause is cancelled with the stream.
    @usableFromInline package func keep(_ alarm: any Alarm) {
        let hasEnded = held.withLock { held in
            held?.alarm = alarm
            return held == nil
        }
        if hasEnded { alarm.cancel() }
    }

    /// Ends the pause, once.
    ///
    /// - Parameter next: Receives the conduit, whose turn has ended and which waits for the next one or for the
    ///   completion.
    @inlinable package func end(_ next: (Conduit) -> Void) {
        guard let held = take(), held.conduit.endTurn(turn) else { return }
        next(held.conduit)
    }

    /// Ends the pause, once, and continues with the upstream that follows.
    @inlinable package func resume() {
        guard let held = take(), held.conduit.endTurn(turn), let next = held.next else { return }
        held.conduit.proceed(to: next)
    }
}

extension SuccessionConduit {
    /// Begins a turn in which nothing is delivered.
    ///
    /// - Parameter begin: Receives the pause when it has begun, and is responsible for ending it.
    @inlinable package func pause(_ begin: @escaping (SuccessionPause<Output, Failure>) -> Void) {
        proceed { conduit, turn in
            let pause = SuccessionPause(conduit, turn: turn)
            conduit.receive(pause, turn: turn)
            begin(pause)
        }
    }

    /// Continues with the next upstream at a given time.
    ///
    /// The alarm retains nothing: it may be set for a long time, and the stream may be cancelled soon.
    @inlinable package func pause<Context: Scheduler>(
        until date: Context.SchedulerTimeType, on scheduler: Context,
        tolerance: Context.SchedulerTimeType.Stride? = nil,
        options: Context.SchedulerOptions?, then attach: @escaping Attach
    ) {
        pause { pause in
            pause.held.withLock { $0?.next = attach }
            let alarm = scheduler.alarm(
                at: date, tolerance: tolerance ?? scheduler.minimumTolerance, options: options
            ) { [weak pause] in pause?.resume() }
            pause.keep(alarm)
        }
    }
}
