#if os(Linux)
    import CHeadgateSystem

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension SystemCalls {
        /// Creates a pipe with a non-blocking end for this process and the other end for a child.
        func childPipe(
            named name: String, weRead: Bool
        ) throws(SystemError) -> (ours: Descriptor, theirs: Descriptor) {
            var ends: [Int32] = [-1, -1]
            _ = try perform("pipe2", on: name) { _ in Int(pipe2(&ends, O_CLOEXEC)) }
            let reading = Descriptor(owning: ends[0], path: name, calls: self)
            let writing = Descriptor(owning: ends[1], path: name, calls: self)
            let (ours, theirs) = weRead ? (reading, writing) : (writing, reading)
            try makeNonBlocking(ours)
            return (ours, try aboveStandardStreams(theirs))
        }

        /// The descriptor, duplicated if its number is one of the three standard streams.
        func aboveStandardStreams(_ descriptor: Descriptor) throws(SystemError) -> Descriptor {
            if descriptor.number > 2 { return descriptor }
            let number = try perform("fcntl", on: descriptor.path) { _ in
                Int(fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3))
            }
            return Descriptor(owning: Int32(number), path: descriptor.path, calls: self)
        }

        /// Starts a program in a process group of its own.
        ///
        /// - Parameters:
        ///   - environment: Its variables; `nil` inherits ours.
        ///   - descriptors: Its standard input, output and error; `nil` inherits ours.
        /// - Returns: Its process ID.
        func spawn(
            _ program: String, _ arguments: [String], environment: [String]?, directory: String?,
            descriptors: [Descriptor?]
        ) throws(SystemError) -> pid_t {
            for text in [program, directory ?? ""] + arguments + (environment ?? []) {
                try checkText(text, in: "posix_spawn")
            }
            var child: pid_t = 0
            let numbers = descriptors.map { $0?.number ?? -1 }
            _ = try perform("posix_spawn", on: program) { _ in
                withCStrings(arguments) { arguments in
                    func spawn(_ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int {
                        errno = headgate_spawn(&child, program, arguments, environment, directory, numbers)
                        return errno == 0 ? 0 : -1
                    }
                    return if let environment { withCStrings(environment) { spawn($0) } } else { spawn(environ) }
                }
            }
            withExtendedLifetime(descriptors) {}
            return child
        }

        /// Opens a descriptor that becomes readable when a process has exited.
        func openProcess(_ number: pid_t, name: String) throws(SystemError) -> Descriptor {
            let descriptor = try perform("pidfd_open", on: name) { _ in Int(headgate_open_process(number)) }
            return Descriptor(owning: Int32(descriptor), path: name, calls: self)
        }

        /// The exit status of a child if it has exited; the child still has to be reaped.
        func exit(of child: pid_t, name: String) throws(SystemError) -> CommandExit? {
            var status: Int32 = 0
            switch try perform("waitid", on: name, { _ in Int(headgate_look_at_child(child, &status)) }) {
            case 0: return nil
            case 1: return .status(status)
            default: return .signal(Signal(status))
            }
        }

        /// Reaps a child that has exited.
        func reap(_ child: pid_t, name: String) throws(SystemError) {
            _ = try perform("waitid", on: name) { _ in Int(headgate_reap_child(child)) }
        }

        /// Sends a signal to the group of a process; does nothing if the group is empty.
        func signal(groupOf child: pid_t, _ process: Descriptor, _ signal: Int32) {
            _ = try? perform("kill", on: process.path) { _ in
                Int(headgate_signal_group(process.number, child, signal))
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
            let number = try perform("epoll_create1", on: name) { _ in Int(epoll_create1(Int32(O_CLOEXEC))) }
            return Descriptor(owning: Int32(number), path: name, calls: self)
        }

        /// Adds a descriptor to a set.
        func add(_ descriptor: Descriptor, to set: Descriptor) throws(SystemError) {
            var event = epoll_event()
            // EPOLLIN, which Swift imports with another type.
            event.events = 1
            _ = try perform("epoll_ctl", on: set.path) { _ in
                Int(epoll_ctl(set.number, Int32(EPOLL_CTL_ADD), descriptor.number, &event))
            }
        }

        /// Removes a descriptor from a set.
        func remove(_ descriptor: Descriptor, from set: Descriptor) throws(SystemError) {
            var event = epoll_event()
            _ = try perform("epoll_ctl", on: set.path) { _ in
                Int(epoll_ctl(set.number, Int32(EPOLL_CTL_DEL), descriptor.number, &event))
            }
        }

        /// The number of unread bytes in a pipe.
        func countOfBytes(waitingIn pipe: Descriptor) throws(SystemError) -> Int {
            try perform("ioctl", on: pipe.path) { _ in Int(headgate_count_waiting_bytes(pipe.number)) }
        }
    }

    /// Calls a closure with texts as a null-terminated list of C strings.
    private func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
#endif
