import Dispatch

/// Ends a program in order: sources stop, streams drain, and a deadline cuts off those that remain.
///
/// ```swift no-run
/// let shutdown = GracefulShutdown(on: Signals.publisher(for: .interrupt, .terminate), deadline: .seconds(10))
/// File.standardInput.bytes()
///     .stopped(by: shutdown.stop)
///     .lines()
///     .underWay(in: shutdown)
///     .write(to: .standardOutput, terminator: "\n") { _ in }
/// print(await shutdown.ending())     // drained
/// ```
///
/// The order of events:
///
/// 1. At the first signal, the deadline starts, and ``stop`` is turned off: sources that are
///    ``HeadgateCore/Publisher/stopped(by:)`` it finish, in the order of their subscriptions.
/// 2. Streams that are ``HeadgateCore/Publisher/underWay(in:)`` it continue; each is done when its subscriber has
///    received the completion, and its writer, if there is one, has handed over the last byte.
/// 3. When no stream is under way, the ending is ``Ending/drained``.
/// 4. At the deadline, or at a second signal, ``cutOff`` is turned off: the remaining streams are cancelled upstream
///    and finish, in the order of their subscriptions; their writers fail and reset their connections. Then the ending
///    is ``Ending/cutOff(remaining:)``, with their number before that.
///
/// Without a signal, ``ending()`` also returns ``Ending/drained`` when every source and stream has ended by itself.
///
/// From then on signals are no longer handled: with `Signals`, another one has its default effect.
///
/// - **Demand**: requests one signal, then one more.
/// - **Threads**: sources are stopped on the thread that delivers the first signal, and streams are cut off on that of
///   the second one, or on the scheduler.
/// - **Complexity**: constant per stream under way.
public final class GracefulShutdown: Sendable {
    /// How a shutdown ended.
    public enum Ending: Hashable, Sendable {
        /// Every stream under way ended by itself.
        case drained
        /// This many streams were cut off.
        case cutOff(remaining: Int)
    }

    private struct State {
        var isDraining = false
        var underWay = 0
        /// Whether any stream has been under way.
        var hasBegun = false
        /// How many streams the deadline has cut off.
        var cutOff: Int?
        var ending: Ending?
        var waiting: [CheckedContinuation<Ending, Never>] = []
        var signals: AnyCancellable?

        /// How it has ended, if nothing is under way.
        ///
        /// - Parameter sourceCount: How many sources have not been stopped.
        func endingIfEmpty(sourceCount: Int) -> Ending? {
            if underWay > 0 { return nil }
            if let cutOff { return .cutOff(remaining: cutOff) }
            // Without a signal it ends only for someone who waits for the end, because more may begin.
            let isOver = hasBegun && sourceCount == 0 && !waiting.isEmpty
            return isDraining || isOver ? .drained : nil
        }
    }

    /// Turned off at the first signal.
    public let stop = KillSwitch()

    /// Turned off at the deadline or at the second signal.
    public let cutOff = KillSwitch()

    private let state = Guarded(State())
    private let alarm: Alarm
    private let deadline: Duration

    /// The alarm of the deadline, and then that of the last grace.
    private let timer = AlarmSlot()

    /// How long the ending waits for streams that do not react to being cut off.
    private static let lastGrace = Duration.seconds(1)

    /// Begins to wait for a signal.
    ///
    /// - Parameters:
    ///   - signals: The signals that end the program, such as `Signals.publisher(for: .interrupt, .terminate)`; in a
    ///     test, a subject. The values are ignored.
    ///   - deadline: The maximum time from the first signal to the end. A negative one traps.
    ///   - scheduler: The clock that measures the deadline.
    public init(
        on signals: some Publisher<some Any, Never>, deadline: Duration,
        scheduler: some Scheduler & Sendable = DispatchQueue.global()
    ) {
        require(
            deadline >= .zero, rule: "The deadline of a shutdown is at least zero.", found: "\(deadline)",
            remedy: "Use .zero to cut everything off immediately.")
        self.deadline = deadline
        alarm = Alarm(scheduler)
        stop.whenNoneIsLeft { [weak self] in self?.endIfEmpty() }
        let waiting = signals.sink { [weak self] _ in self?.takeSignal() }
        // Released here, and so cancelled, if it has ended already.
        state.withLock { if $0.ending == nil { $0.signals = waiting } }
    }

    /// Starts the shutdown as the first signal does; a second call cuts off, as the second signal does.
    public func begin() { takeSignal() }

    /// Waits until the program may exit: until a shutdown has ended, or, without a signal, until every stream that was
    /// under way, and every source that ``stop`` would stop, has ended by itself.
    public func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) } else { endIfEmpty() }
        }
    }

    /// The number of streams under way.
    public var underWayCount: Int { state.withLock { $0.underWay } }

    private func takeSignal() {
        if state.withLock({ exchange(&$0.isDraining, with: true) }) { return cutOffTheRest() }
        // Retains this object until the deadline, so that a shutdown that has begun completes.
        setTimer(deadline) { self.cutOffTheRest() }
        // Counts as under way itself, so that the shutdown does not end while sources are being stopped.
        enter()
        stop.turnOff()
        leave()
    }

    private func cutOffTheRest() {
        // As above; if two calls meet here, the first one decides the ending.
        state.withLock { state in
            if state.cutOff == nil { state.cutOff = state.underWay }
            state.underWay += 1
        }
        cutOff.turnOff()
        // A writer needs a moment to reset its connection, or to remove an incomplete file, before the program exits.
        let remaining = state.withLock { $0.cutOff ?? 0 }
        setTimer(Self.lastGrace) { self.end(.cutOff(remaining: remaining)) }
        leave()
    }

    private func setTimer(_ time: Duration, _ action: @escaping @Sendable () -> Void) {
        timer.set { alarm.after(time, action) }
        // It may have ended before.
        if state.withLock({ $0.ending != nil }) { timer.cancel() }
    }

    /// Records that a stream is under way.
    func enter() {
        state.withLock { state in
            state.underWay += 1
            state.hasBegun = true
        }
    }

    /// Records that a stream has ended.
    func leave() {
        state.withLock { $0.underWay -= 1 }
        endIfEmpty()
    }

    private func endIfEmpty() {
        let sourceCount = stop.streamCount
        if let ending = state.withLock({ $0.endingIfEmpty(sourceCount: sourceCount) }) { end(ending) }
    }

    private func end(_ ending: Ending) {
        let (ending, waiting, signals) = state.withLock { state in
            let ending = state.ending ?? ending
            state.ending = ending
            return (ending, exchange(&state.waiting, with: []), state.signals.take())
        }
        signals?.cancel()
        timer.cancel()
        for continuation in waiting { continuation.resume(returning: ending) }
    }
}
