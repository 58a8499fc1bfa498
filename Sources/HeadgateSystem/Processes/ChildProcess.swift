#if os(Linux)
    import CHeadgateSystem
    import HeadgateLibC

    /// A program that was started, until no process in its group has to be waited for.
    ///
    /// Its process ID stays reserved until it is reaped, which happens here only.
    final class ChildProcess: Sendable {
        private struct State {
            var isReaped = false
            var isOver = false
            /// The rest of the grace period, if it is being terminated.
            var remaining: Duration?
        }

        /// The queue that waits for programs that no stream waits for; none of its calls blocks.
        private static let endings = DeliveryQueue.waiting("children")

        let number: pid_t

        /// Becomes readable when the program has exited.
        let process: Descriptor

        private let name: String
        private let terminal: Command.Terminal
        private let grace: Duration
        private let alarm: Alarm
        private let calls: SystemCalls
        private let state = Guarded(State())

        /// Starts the program of a command.
        init(_ command: Command, descriptors: [Descriptor?]) throws(SystemError) {
            name = command.program
            terminal = command.terminal
            grace = command.grace
            alarm = command.alarm
            calls = command.calls
            let environment = try command.environment.list()
            Children.shared.begin()
            do throws(SystemError) {
                number = try calls.spawn(command, environment: environment, descriptors: descriptors)
                process = try calls.openChild(number, name: name)
            } catch {
                Children.shared.end()
                throw error
            }
        }

        /// The exit status if it has exited.
        func exit() throws(SystemError) -> CommandExit? { try calls.exit(of: number, name: name) }

        /// Terminates it: `SIGTERM` now, and `SIGKILL` after the grace period to any process left in its group.
        func stop() {
            let isFirst = state.withLock { state in
                if state.isOver || state.remaining != nil { return false }
                state.remaining = grace
                return true
            }
            if !isFirst { return }
            signal(SIGTERM)
            // A stopped process does not handle SIGTERM until it is continued.
            signal(SIGCONT)
            waitForGrace()
        }

        /// Reaps it after it has exited.
        func reap() {
            if state.withLock({ exchange(&$0.isReaped, with: true) }) { return }
            try? calls.reap(number, name: name)
            // After the grace period every process has got SIGKILL.
            let isInGrace = state.withLock { $0.remaining.map { $0 > .zero } ?? false }
            if !isInGrace || !isGroupRunning { conclude() }
        }

        /// Terminates it and waits for its exit, without blocking the caller.
        func end() {
            if state.withLock({ $0.isReaped }) { return }
            stop()
            Self.endings.run {
                self.waitForEnd(Readiness(of: self.process, for: .reading, on: Self.endings))
            }
        }

        private func waitForEnd(_ readiness: Readiness) {
            do throws(SystemError) {
                // What is called back retains the readiness, which else nobody does.
                if try exit() == nil { return readiness.wait { self.waitForEnd(readiness) } }
            } catch {
                // Another part of the process has reaped it.
            }
            reap()
        }

        /// Checks a few times whether processes are left, and kills them when the grace period has passed.
        private func waitForGrace() {
            guard let remaining = state.withLock({ $0.isOver ? nil : $0.remaining }) else { return }
            let step = min(remaining, .milliseconds(50))
            // Not cancellable: it may run before this call returns, and a step is short.
            alarm.once(after: step) { self.tick(step) }
        }

        private func tick(_ step: Duration) {
            let (remaining, isReaped, isOver) = state.withLock { state -> (Duration, Bool, Bool) in
                let remaining = (state.remaining ?? .zero) - step
                state.remaining = remaining
                return (remaining, state.isReaped, state.isOver)
            }
            if isOver { return }
            if remaining <= .zero {
                signal(SIGKILL)
                if isReaped { conclude() }
            } else if isReaped, !isGroupRunning {
                conclude()
            } else {
                waitForGrace()
            }
        }

        /// Sends a signal to the program, and to the others of its group unless that is ours.
        private func signal(_ signal: Int32) {
            switch terminal {
            case .detached: calls.signal(groupOf: number, process, signal)
            case .shared: _ = try? calls.signal(process, signal)
            }
        }

        private var isGroupRunning: Bool {
            terminal == .detached && calls.hasRunningProcess(inGroupOf: number, process)
        }

        /// Sends a signal to the program only.
        ///
        /// - Returns: Whether it was running.
        func send(_ signal: Signal) throws(SystemError) -> Bool {
            if !isRunning { return false }
            return try calls.signal(process, signal.number)
        }

        /// Whether it has not exited.
        var isRunning: Bool {
            if state.withLock({ $0.isReaped }) { return false }
            return (try? calls.exit(of: number, name: name)) == .some(nil)
        }

        private func conclude() {
            if !state.withLock({ exchange(&$0.isOver, with: true) }) { Children.shared.end() }
        }
    }

    extension Command.Environment {
        /// The variables in the form of `posix_spawn`; `nil` for those of this process, which take no copy.
        ///
        /// Throws `EINVAL` for a name that the program would read as another one.
        fileprivate func list() throws(SystemError) -> [String]? {
            var inherited: [String] = []
            let variables: [String: String]
            switch self {
            case .inherited: return nil
            case .adding(let more):
                inherited = Self.own.filter { variable in more[String(variable.prefix { $0 != "=" })] == nil }
                variables = more
            case .exactly(let all): variables = all
            }
            for name in variables.keys where name.isEmpty || name.utf8.contains(UInt8(ascii: "=")) {
                throw SystemError(call: "posix_spawn", code: EINVAL, subject: "environment variable \"\(name)\"")
            }
            return inherited + variables.map { "\($0)=\($1)" }
        }

        private static var own: [String] {
            var list: [String] = []
            // There is no list after `clearenv`.
            guard var place = headgate_environment() else { return list }
            while let variable = place.pointee {
                list.append(String(systemNameAt: variable))
                place += 1
            }
            return list
        }
    }
#endif
