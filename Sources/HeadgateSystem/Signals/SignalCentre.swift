import CHeadgateSystem
@preconcurrency import Dispatch
import HeadgateLibC

/// The subscriptions to each signal, and how to restore each signal's previous disposition.
package final class SignalCentre: Sendable {
    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var caught: [Int32: Caught] = [:]
    }

    /// How many subscriptions there are to a signal, and how to restore its disposition.
    private struct Caught {
        var count = 0
        let restore: () -> Void
    }

    /// Weak, because a subscription ends when it is released.
    private struct Member {
        weak var source: SignalSource?
        let signals: UInt64
    }

    /// The shared registry of the process.
    package static let shared = SignalCentre { number in
        hasBegun
        var before = sigaction()
        headgate_catch_signal(number, &before)
        return { _ = sigaction(number, &before, nil) }
    }

    private let state = Guarded(State())
    private let catchSignal: @Sendable (Int32) -> () -> Void

    /// Creates a registry.
    ///
    /// - Parameter catchSignal: Installs the handler for a signal; returns a closure that restores the previous
    ///   disposition.
    package init(catchSignal: @escaping @Sendable (Int32) -> () -> Void) { self.catchSignal = catchSignal }

    /// Registers a subscription; its signals are caught when this returns.
    func add(_ source: SignalSource) {
        state.withLock { state in
            state.members[ObjectIdentifier(source)] = Member(source: source, signals: source.signals)
            for number in numbers(in: source.signals) {
                state.caught[number, default: Caught(restore: catchSignal(number))].count += 1
            }
        }
    }

    /// Removes a subscription; the last one for a signal restores its previous disposition.
    func remove(_ source: SignalSource) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: ObjectIdentifier(source)) else { return }
            for number in numbers(in: member.signals) {
                state.caught[number]?.count -= 1
                if state.caught[number]?.count == 0 { state.caught.removeValue(forKey: number)?.restore() }
            }
        }
    }

    /// Delivers signals to their subscriptions.
    package func bring(_ signals: UInt64) {
        let sources = state.withLock { state in
            state.members.values.compactMap { $0.signals & signals == 0 ? nil : $0.source }
        }
        for source in sources { source.bring(signals) }
    }

    private func numbers(in signals: UInt64) -> [Int32] {
        (1...64).filter { signals & Signal($0).bit != 0 }
    }

    /// Starts the thread that waits for signals as long as the process lives.
    private static let hasBegun: Void = {
        if headgate_prepare_signals() != 0 {
            programmerError(
                rule: "Signals need a semaphore.", found: "\(SystemError(call: "sem_init", code: errno))",
                remedy: "Raise the system's limit.")
        }
        DispatchQueue(label: "headgate.signals").async {
            while true {
                _ = try? SystemCalls.live.call("sem_wait") { headgate_await_signal() }
                shared.bring(headgate_take_signals())
            }
        }
    }()
}
