#if os(Linux)
    /// Sends signals to the programs of a command while they run.
    ///
    /// ```swift no-run
    /// let server = CommandHandle()
    /// let lines = Command("nginx", "-g", "daemon off;", handle: server).lines().sink(
    ///     receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// let reloading = Signals.publisher(for: .hangUp).sink { _ in _ = try? server.send(.hangUp) }
    /// ```
    ///
    /// Each subscriber of a command starts a program: a handle is for all that run at a time.
    public final class CommandHandle: Sendable {
        private struct Entry {
            weak var child: ChildProcess?
        }

        private let entries = Guarded<[Entry]>([])

        /// Creates a handle; pass it to a ``Command``.
        public init() {}

        /// The process IDs of the programs that have been started and have not exited.
        public var processes: [Int32] { running.map(\.number) }

        /// Whether a program has been started and has not exited.
        public var isRunning: Bool { !running.isEmpty }

        /// Sends a signal to each program that runs, and not to those that it has started.
        ///
        /// - Returns: Whether any was running.
        /// - Throws: `EPERM` if the program runs as another user, `EINVAL` for a number that is no signal.
        @discardableResult public func send(_ signal: Signal) throws(SystemError) -> Bool {
            var wasRunning = false
            for child in running where try child.send(signal) { wasRunning = true }
            return wasRunning
        }

        func add(_ child: ChildProcess) {
            entries.withLock { entries in
                entries.removeAll { $0.child == nil }
                entries.append(Entry(child: child))
            }
        }

        private var running: [ChildProcess] {
            // Released outside the lock.
            let children = entries.withLock { $0.compactMap(\.child) }
            return children.filter(\.isRunning)
        }
    }
#endif
