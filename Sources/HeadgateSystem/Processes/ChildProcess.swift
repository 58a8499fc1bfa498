#if os(Linux)
    import HeadgateCore

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A program that was started, from its start until nobody in its group has to be waited for.
    ///
    /// Its number belongs to it until it is taken off the system's list, which happens here and nowhere else.
    final class ChildProcess: Sendable {
        private struct State {
            var isReaped = false
            var isOver = false
            /// What is left of the grace, where it has been told to end.
            var remaining: Duration?
            var readiness: Readiness?
        }

        /// Those that end without a stream to wait for them share a queue: none of their calls waits.
        private static let endings = DeliveryQueue.waiting("children")

        let number: pid_t

        /// Can be read when it has ended.
        let process: Descriptor

        private let name: String
        private let grace: Duration
        private let alarm: Alarm
        private let calls: SystemCalls
        private let state = Guarded(State())

        /// Starts the program of a command.
        init(_ command: Command, descriptors: [Descriptor?]) throws(SystemError) {
            name = command.program
            grace = command.grace
            alarm = command.alarm
            calls = command.calls
            Children.shared.begin()
            do throws(SystemError) {
                number = try calls.spawn(
                    command.program, [command.program] + command.arguments, environment: command.environment.list,
                    directory: command.directory, descriptors: descriptors)
            } catch {
                Children.shared.end()
                throw error
            }
            do throws(SystemError) {
                process = try calls.openProcess(number, name: name)
            } catch {
                // Nobody could tell when it ends.
                kill(-number, SIGKILL)
                var status: Int32 = 0
                while waitpid(number, &status, 0) < 0, errno == EINTR {}
                Children.shared.end()
                throw error
            }
        }

        /// Looks whether it has ended.
        func exit() throws(SystemError) -> CommandExit? { try calls.exit(of: number, name: name) }

        /// Has it end: `SIGTERM`, and `SIGKILL` after the grace to whoever is left in its group.
        func stop() {
            let isFirst = state.withLock { state in
                if state.isOver || state.remaining != nil { return false }
                state.remaining = grace
                return true
            }
            if !isFirst { return }
            signal(SIGTERM)
            // One that is stopped takes no notice otherwise.
            signal(SIGCONT)
            waitForGrace()
        }

        /// Takes it off the system's list; it has ended.
        func reap() {
            let isFirst = state.withLock { state in
                defer { state.isReaped = true }
                return !state.isReaped
            }
            if !isFirst { return }
            try? calls.reap(number, name: name)
            // Where the grace is over, everybody has got SIGKILL.
            let isInGrace = state.withLock { $0.remaining.map { $0 > .zero } ?? false }
            if !isInGrace || !calls.somebodyRuns(inGroupOf: number, process) { conclude() }
        }

        /// Has it end, and waits for that without holding anybody up.
        func end() {
            if state.withLock({ $0.isReaped }) { return }
            stop()
            Self.endings.run {
                let readiness = Readiness(of: self.process, for: .reading, on: Self.endings)
                self.state.withLock { $0.readiness = readiness }
                self.waitForEnd(readiness)
            }
        }

        private func waitForEnd(_ readiness: Readiness) {
            do throws(SystemError) {
                if try exit() == nil { return readiness.wait { self.waitForEnd(readiness) } }
            } catch {
                // Somebody else has waited for it, and has got the answer.
            }
            let old = state.withLock { $0.readiness.take() }
            reap()
            withExtendedLifetime(old) {}
        }

        /// Looks a few times whether somebody is left, and puts an end to that when the grace is over.
        private func waitForGrace() {
            guard let remaining = state.withLock({ $0.isOver ? nil : $0.remaining }) else { return }
            let step = min(remaining, .milliseconds(50))
            // Not to be cancelled: it may come before this returns, and a step is short.
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
            } else if isReaped, !calls.somebodyRuns(inGroupOf: number, process) {
                conclude()
            } else {
                waitForGrace()
            }
        }

        private func signal(_ signal: Int32) { calls.signal(groupOf: number, process, signal) }

        private func conclude() {
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            if isFirst { Children.shared.end() }
        }
    }

    extension Command.Environment {
        /// As the system takes it.
        fileprivate var list: [String] {
            switch self {
            case .inherited: Self.own
            case .adding(let more):
                Self.own.filter { variable in more[String(variable.prefix { $0 != "=" })] == nil }
                    + more.map { "\($0)=\($1)" }
            case .exactly(let all): all.map { "\($0)=\($1)" }
            }
        }

        private static var own: [String] {
            var list: [String] = []
            var place = environ
            while let variable = place.pointee {
                list.append(String(cString: variable))
                place += 1
            }
            return list
        }
    }
#endif
