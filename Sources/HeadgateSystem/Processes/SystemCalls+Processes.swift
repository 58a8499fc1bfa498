#if os(Linux)
    import CHeadgateSystem
    import HeadgateLibC

    extension SystemCalls {
        /// Creates a pipe with a non-blocking end for this process and the other end for a child.
        package func childPipe(
            named name: String, weRead: Bool
        ) throws(SystemError) -> (ours: Descriptor, theirs: Descriptor) {
            var ends: [Int32] = [-1, -1]
            try call("pipe2", on: name) { pipeAboveStandardStreams(&ends) }
            let reading = Descriptor(owning: ends[0], path: name, calls: self)
            let writing = Descriptor(owning: ends[1], path: name, calls: self)
            let (ours, theirs) = weRead ? (reading, writing) : (writing, reading)
            try makeNonBlocking(ours)
            return (ours, theirs)
        }

        /// Creates a pipe whose ends have none of the numbers of the standard streams.
        private func pipeAboveStandardStreams(_ ends: inout [Int32]) -> Int32 {
            if pipe2(&ends, O_CLOEXEC) < 0 { return -1 }
            ends = ends.map { headgate_above_standard_streams($0) }
            if ends.allSatisfy({ $0 > 2 }) { return 0 }
            let code = errno
            for end in ends where end >= 0 { _ = HeadgateLibC.close(end) }
            errno = code
            return -1
        }

        /// Starts a program.
        ///
        /// - Parameters:
        ///   - command: The program and its arguments, directory and terminal.
        ///   - environment: Its variables; `nil` inherits ours.
        ///   - descriptors: Its standard input, output and error; `nil` inherits ours.
        /// - Returns: Its process ID.
        func spawn(
            _ command: Command, environment: [String]?, descriptors: [Descriptor?]
        ) throws(SystemError) -> pid_t {
            let arguments = [command.program] + command.arguments
            for text in [command.directory ?? ""] + arguments + (environment ?? []) {
                try checkText(text, in: "posix_spawn")
            }
            headgate_keep_children()
            let names = [command.path(environment: environment)] + (command.directory.map { [$0] } ?? [])
            let numbers = descriptors.map { $0?.number ?? -1 }
            defer { withExtendedLifetime(descriptors) {} }
            var pause: UInt32 = 500
            while true {
                do throws(SystemError) {
                    return try spawnOnce(command, names, arguments, environment, numbers)
                } catch {
                    // A program that has just been written can't be executed while a child that another thread has just
                    // started still has the writer's descriptor, until it executes a program itself.
                    if error.code != ETXTBSY || pause > 64_000 { throw error }
                    usleep(pause)
                    pause *= 2
                }
            }
        }

        /// - Parameter names: The path of the program and, if there is one, its directory.
        private func spawnOnce(
            _ command: Command, _ names: [String], _ arguments: [String], _ environment: [String]?, _ numbers: [Int32]
        ) throws(SystemError) -> pid_t {
            var child: pid_t = 0
            try call("posix_spawn", on: command.program) {
                withCStrings(names) { names in
                    withCStrings(arguments) { arguments in
                        withCStrings(environment) { environment in
                            // Without a directory, the second one is the null at the end.
                            errno = headgate_spawn(
                                &child, names?[0], arguments, environment, names?[1], numbers,
                                command.terminal == .detached ? 1 : 0)
                            return errno == 0 ? 0 : -1
                        }
                    }
                }
            }
            return child
        }

        /// Opens a descriptor that becomes readable when a child has exited.
        ///
        /// Kills the child if that fails, because its exit could not be detected.
        func openChild(_ number: pid_t, name: String) throws(SystemError) -> Descriptor {
            do {
                return try descriptor("pidfd_open", of: name) { headgate_open_process(number) }
            } catch {
                kill(number, SIGKILL)
                var status: Int32 = 0
                while waitpid(number, &status, 0) < 0, errno == EINTR {}
                throw error
            }
        }

        /// The exit status of a child if it has exited; the child still has to be reaped.
        func exit(of child: pid_t, name: String) throws(SystemError) -> CommandExit? {
            var status: Int32 = 0
            switch try call("waitid", on: name, { headgate_look_at_child(child, &status) }) {
            case 0: return nil
            case 1: return .status(status)
            default: return .signal(Signal(status))
            }
        }

        /// Reaps a child that has exited.
        func reap(_ child: pid_t, name: String) throws(SystemError) {
            try call("waitid", on: name) { headgate_reap_child(child) }
        }

        /// Sends a signal to the group of a process; does nothing if the group is empty.
        func signal(groupOf child: pid_t, _ process: Descriptor, _ signal: Int32) {
            _ = try? call("kill", on: process) { headgate_signal_group($0, child, signal) }
        }

        /// Sends a signal to a process only.
        ///
        /// - Returns: Whether it was there.
        func signal(_ process: Descriptor, _ signal: Int32) throws(SystemError) -> Bool {
            do {
                try call("pidfd_send_signal", on: process) { headgate_signal_process($0, signal) }
                return true
            } catch  where error.code == ESRCH {
                return false
            }
        }

        /// Whether any process runs in the group of a process that has been reaped.
        ///
        /// Scans all processes if the group exists: exited members stay in it until their parent reaps them, which
        /// can't be forced from here.
        func hasRunningProcess(inGroupOf child: pid_t, _ process: Descriptor) -> Bool {
            headgate_group_runs(process.number, child) != 0
        }

        /// Opens an `epoll` set, which is itself readable when one of its descriptors is.
        func openDescriptorSet(name: String) throws(SystemError) -> Descriptor {
            try descriptor("epoll_create1", of: name) { epoll_create1(Int32(O_CLOEXEC)) }
        }

        /// Adds a descriptor to a set.
        func add(_ descriptor: Descriptor, to set: Descriptor) throws(SystemError) {
            var event = epoll_event()
            // EPOLLIN, which Swift imports with another type.
            event.events = 1
            try call("epoll_ctl", on: set) { epoll_ctl($0, Int32(EPOLL_CTL_ADD), descriptor.number, &event) }
        }

        /// Removes a descriptor from a set.
        func remove(_ descriptor: Descriptor, from set: Descriptor) throws(SystemError) {
            var event = epoll_event()
            try call("epoll_ctl", on: set) { epoll_ctl($0, Int32(EPOLL_CTL_DEL), descriptor.number, &event) }
        }
    }

    extension Command {
        /// The path of the program: looked up in the `PATH` of the environment that it gets, unless it is one.
        fileprivate func path(environment: [String]?) -> String {
            if program.isEmpty || program.utf8.contains(UInt8(ascii: "/")) { return program }
            let prefix = "PATH="
            let own = getenv("PATH").map { String(systemNameAt: $0) }
            let listed = environment?.last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
            let folders = environment == nil ? own : listed.map(String.init)
            var forbidden: String?
            for folder in (folders ?? "/bin:/usr/bin").split(separator: ":", omittingEmptySubsequences: false) {
                let path = folder.isEmpty ? "./\(program)" : "\(folder)/\(program)"
                // It is executed in the directory of the command.
                let place = path.isAbsolutePath ? path : directory.map { "\($0)/\(path)" } ?? path
                var status = stat()
                if place.withSystemName({ stat($0, &status) }) < 0 || status.st_mode & S_IFMT == S_IFDIR { continue }
                if place.withSystemName({ access($0, X_OK) }) == 0 { return path }
                forbidden = forbidden ?? path
            }
            // Executing this fails with the right code.
            return forbidden ?? "/nonexistent/\(program)"
        }
    }

    /// Calls a closure with texts as a null-terminated list of C strings.
    private func withCStrings<Result>(
        _ texts: [String]?, _ body: ([UnsafeMutablePointer<CChar>?]?) -> Result
    ) -> Result {
        let pointers = texts.map { texts in texts.map { text in text.withSystemName { strdup($0) } } + [nil] }
        defer { for pointer in pointers ?? [] { free(pointer) } }
        return body(pointers)
    }
#endif
