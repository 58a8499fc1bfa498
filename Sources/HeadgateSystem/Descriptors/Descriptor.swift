#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
import HeadgateCore

/// An open file, pipe or socket, closed exactly once: by `close()`, or when the last one who may use it releases it.
///
/// A class and not a `~Copyable` value, because two hold it at a time: whoever reads or writes, and the event source
/// that watches it, which must not see the number closed, and opened again as something else, before it has been
/// cancelled.
package final class Descriptor: Sendable {
    /// The number by which the system knows it.
    package let number: Int32

    /// What it leads to, for errors.
    package let path: String?

    private struct State {
        var isOpen: Bool
        var watchers = 0
        var isAwaitingWatchers = false
    }

    private let calls: SystemCalls
    private let state: Guarded<State>

    /// Takes over a number, which is closed with this object.
    package init(owning number: Int32, path: String?, calls: SystemCalls = .live) {
        self.number = number
        self.path = path
        self.calls = calls
        state = Guarded(State(isOpen: true))
    }

    /// Uses a number that belongs to the process as a whole, such as that of standard input, and is never closed here.
    package init(borrowing number: Int32, path: String?, calls: SystemCalls = .live) {
        self.number = number
        self.path = path
        self.calls = calls
        state = Guarded(State(isOpen: false))
    }

    /// Takes a descriptor over under another name.
    package convenience init(adopting other: Descriptor, path: String?) {
        let isFree = other.state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen && state.watchers == 0
        }
        precondition(isFree, "A descriptor that was closed, or is being watched, is adopted.")
        self.init(owning: other.number, path: path, calls: other.calls)
    }

    deinit { try? close() }

    /// Closes it, for whoever wants to know whether that failed; nobody may use it any more.
    ///
    /// A call that a signal interrupts is not made again, for the number is free by then. While an event source watches it, it
    /// is closed when that has been cancelled, and nobody learns of a failure.
    package func close() throws(SystemError) {
        let isDue = state.withLock { state in
            if !state.isOpen { return false }
            state.isOpen = false
            state.isAwaitingWatchers = state.watchers > 0
            return state.watchers == 0
        }
        if isDue { try closeNow() }
    }

    /// Notes that an event source watches it.
    func beginWatching() { state.withLock { $0.watchers += 1 } }

    /// Notes that an event source has been cancelled.
    func endWatching() {
        let isDue = state.withLock { state in
            state.watchers -= 1
            return state.isAwaitingWatchers && state.watchers == 0
        }
        if isDue { try? closeNow() }
    }

    private func closeNow() throws(SystemError) {
        let verdict = calls.verdict(on: "close")
        #if canImport(Darwin)
            var result = SystemCalls.kernelResult(Int(Darwin.close(number)))
        #elseif canImport(Musl)
            var result = SystemCalls.kernelResult(Int(Musl.close(number)))
        #else
            var result = SystemCalls.kernelResult(Int(Glibc.close(number)))
        #endif
        if case .fail(let code) = verdict { result = -Int(code) }
        if result < 0, result != -Int(EINTR) {
            throw SystemError(call: "close", code: Int32(-result), subject: path)
        }
    }
}
