import Dispatch
import Headgate

/// Ends a program in order: sources stop, what is under way drains, and a deadline cuts off what is left.
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
/// The order of ends:
///
/// 1. At the first signal, the clock of the deadline starts, and ``stop`` is turned off: sources that are
///    ``HeadgateCore/Publisher/stopped(by:)`` it finish, in the order in which they were subscribed to.
/// 2. What is ``HeadgateCore/Publisher/underWay(in:)`` it goes on, and is over when its subscriber has heard the completion.
/// 3. When nothing is under way any more, the ending is ``Ending/drained``.
/// 4. At the deadline, or at a second signal, ``cutOff`` is turned off: what is left is cancelled upstream and finishes, in the
///    order in which it was subscribed to. Then the ending is ``Ending/cutOff(remaining:)``, with their number before that.
///
/// From then on signals are not waited for any more: with `Signals`, one more does what it does by default.
///
/// - **Demand**: one signal is asked for, then one more.
/// - **Complexity**: constant for each stream under way.
public final class GracefulShutdown: Sendable {
    /// How a program has come to its end.
    public enum Ending: Hashable, Sendable {
        /// Everything that was under way has ended by itself.
        case drained
        /// So many streams were cut off.
        case cutOff(remaining: Int)
    }

    private struct State {
        var isDraining = false
        var underWay = 0
        var ending: Ending?
        var waiting: [CheckedContinuation<Ending, Never>] = []
        var signals: AnyCancellable?
        var deadline: AnyCancellable?
    }

    /// Turned off at the first signal.
    public let stop = KillSwitch()

    /// Turned off at the deadline, and at the second signal.
    public let cutOff = KillSwitch()

    private let state = Guarded(State())
    private let alarm: Alarm
    private let deadline: Duration

    /// Begins to wait for a signal.
    ///
    /// - Parameters:
    ///   - signals: What ends the program, such as `Signals.publisher(for: .interrupt, .terminate)`; in a test, a subject. Its
    ///     values do not matter.
    ///   - deadline: How long it may take from the first signal until everything is over. A negative one traps.
    ///   - scheduler: Whose clock the deadline goes by.
    public init(
        on signals: some Publisher<some Any, Never>, deadline: Duration,
        scheduler: some Scheduler & Sendable = DispatchQueue.global()
    ) {
        if deadline < .zero {
            programmerError(
                rule: "The deadline of a shutdown is zero or more.", found: "\(deadline)",
                remedy: "Use .zero to cut everything off at once.")
        }
        self.deadline = deadline
        alarm = Alarm(scheduler)
        let waiting = signals.sink { [weak self] _ in self?.takeSignal() }
        let isOver = state.withLock { state in
            if state.ending == nil { state.signals = waiting }
            return state.ending != nil
        }
        if isOver { waiting.cancel() }
    }

    /// Begins to end the program, as the first signal does; a second time it cuts off, as the second signal does.
    public func begin() { takeSignal() }

    /// Waits until the program may exit.
    public func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// How many streams are under way.
    public var underWayCount: Int { state.withLock { $0.underWay } }

    private func takeSignal() {
        let isFirst = state.withLock { state in
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if !isFirst { return cutOffTheRest() }
        // Holds this object: what has begun to end comes to an end.
        let waiting = alarm.after(deadline) { self.cutOffTheRest() }
        let isOver = state.withLock { state in
            if state.ending == nil { state.deadline = waiting }
            return state.ending != nil
        }
        if isOver { waiting.cancel() }
        // Counts as under way itself, so that the end does not come while sources are being stopped.
        enter()
        stop.turnOff()
        leave()
    }

    private func cutOffTheRest() {
        let remaining = state.withLock { $0.underWay }
        // As above; and of two who come here at a time, the first one tells the end.
        enter()
        cutOff.turnOff()
        end(.cutOff(remaining: remaining))
        leave()
    }

    /// Notes that a stream is under way.
    func enter() { state.withLock { $0.underWay += 1 } }

    /// Notes that a stream has ended.
    func leave() {
        let isDrained = state.withLock { state in
            state.underWay -= 1
            return state.isDraining && state.underWay == 0
        }
        if isDrained { end(.drained) }
    }

    private func end(_ ending: Ending) {
        let (ending, waiting, old) = state.withLock { state in
            let ending = state.ending ?? ending
            state.ending = ending
            return (ending, exchange(&state.waiting, with: []), [state.signals.take(), state.deadline.take()])
        }
        for cancellable in old { cancellable?.cancel() }
        for continuation in waiting { continuation.resume(returning: ending) }
    }
}
