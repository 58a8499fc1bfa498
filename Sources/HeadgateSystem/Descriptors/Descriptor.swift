import HeadgateLibC

/// An open file, pipe or socket, closed exactly once: by `close()`, or when its last owner releases it.
///
/// A class and not a `~Copyable` value, because it has two owners at a time: the reader or writer, and the event source
/// that watches it. The number must not be closed, and reused for another file, before the event source has been
/// cancelled.
package final class Descriptor: Sendable {
    /// The file descriptor.
    package let number: Int32

    /// The path it was opened by, for errors.
    package let path: String?

    private struct State {
        var isOpen = true
        var watchers = 0
        var isAwaitingWatchers = false
    }

    private let calls: SystemCalls
    private let state = Guarded(State())

    /// Takes ownership of a number, which is closed with this object.
    package init(owning number: Int32, path: String?, calls: SystemCalls = .live) {
        self.number = number
        self.path = path
        self.calls = calls
    }

    /// Uses a number that belongs to the process, such as that of standard input, and is never closed here.
    package convenience init(borrowing number: Int32, path: String?, calls: SystemCalls = .live) {
        self.init(owning: number, path: path, calls: calls)
        state.withLock { $0.isOpen = false }
    }

    deinit { try? close() }

    /// Closes it, and throws if that fails; the descriptor must not be used afterwards.
    ///
    /// A call that a signal interrupts is not repeated, because the number is free by then. While an event source
    /// watches it, it is closed only when that has been cancelled, and a failure is ignored.
    package func close() throws(SystemError) {
        let isDue = state.withLock { state in
            if !state.isOpen { return false }
            state.isOpen = false
            state.isAwaitingWatchers = state.watchers > 0
            return state.watchers == 0
        }
        if isDue { try closeNow() }
    }

    /// Records that an event source watches it.
    func beginWatching() { state.withLock { $0.watchers += 1 } }

    /// Records that an event source has been cancelled.
    func endWatching() {
        let isDue = state.withLock { state in
            state.watchers -= 1
            return state.isAwaitingWatchers && state.watchers == 0
        }
        if isDue { try? closeNow() }
    }

    private func closeNow() throws(SystemError) {
        // Outside the closure, which is not called where a test makes the call fail, and again after EINTR.
        let code = HeadgateLibC.close(number) < 0 && errno != EINTR ? errno : 0
        try calls.call("close", on: path) {
            errno = code
            return code == 0 ? 0 : -1
        }
    }
}
