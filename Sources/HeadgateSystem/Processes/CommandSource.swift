#if os(Linux)
    import HeadgateLibC

    /// A running program, its output and its exit: one poll per event requested.
    ///
    /// Its descriptor is an `epoll` set of everything to wait for: both pipes, the exit of the program, and a pipe that
    /// becomes readable when the output grace period has passed.
    final class CommandSource: PolledSource {
        /// State set by other threads.
        private final class Notes: Sendable {
            let isGraceOver = Guarded(false)
            let inputFailure = Guarded<SystemError?>(nil)
        }

        let descriptor: Descriptor
        private let child: ChildProcess
        private let command: Command
        private let chunkSize: Int
        /// The pipes that the program writes to.
        private var outputs: [(source: DescriptorSource, event: (Bytes) -> CommandEvent)] = []
        private var hasReportedStart = false
        private var exit: CommandExit?
        private var graceForOutput: AnyCancellable?
        private var bell: Descriptor?
        private let notes = Notes()
        private var input: WritingSink<SystemError>?
        private var stopping: AnyCancellable?

        /// Starts the program.
        ///
        /// - Parameter errors: The destination of its standard error; `nil` for events.
        init(
            _ command: Command, errors: Command.Errors?, chunkSize: Int, stop: KillSwitch?
        ) throws(SystemError) {
            self.command = command
            self.chunkSize = chunkSize
            let calls = command.calls
            let output = try calls.childPipe(named: "output of \(command.program)", weRead: true)
            let errorPipe =
                errors == nil ? try calls.childPipe(named: "errors of \(command.program)", weRead: true) : nil
            let input: (ours: Descriptor?, theirs: Descriptor?)
            switch command.input.kind {
            case .none: input = (nil, try calls.open("/dev/null", O_RDONLY))
            case .inherited: input = (nil, nil)
            case .publisher:
                let pipe = try calls.childPipe(named: "input of \(command.program)", weRead: false)
                input = (pipe.ours, pipe.theirs)
            }
            var theirErrors: Descriptor?
            switch errors {
            case nil: theirErrors = errorPipe?.theirs
            case .merged: theirErrors = output.theirs
            case .inherited: break
            case .discarded: theirErrors = try calls.open("/dev/null", O_WRONLY)
            }
            descriptor = try calls.openDescriptorSet(name: command.program)
            do throws(SystemError) {
                child = try ChildProcess(command, descriptors: [input.theirs, output.theirs, theirErrors])
            } catch  where error.call == "posix_spawn" && error.code == ENOENT {
                throw try command.missingPart(because: error)
            }
            // If one of these throws, `deinit` terminates the program.
            try calls.add(child.process, to: descriptor)
            for (pipe, event) in [(output.ours, CommandEvent.output), (errorPipe?.ours, CommandEvent.errors)] {
                guard let pipe else { continue }
                try calls.add(pipe, to: descriptor)
                outputs.append((source(of: pipe), event))
            }
            if case .publisher(let make) = command.input.kind, let pipe = input.ours { write(make(), to: pipe) }
            command.handle?.add(child)
            stopping = stop.map { stop in stop.publisher.sink { [child] in child.stop() } }
        }

        deinit {
            stopping?.cancel()
            input?.cancel()
            graceForOutput?.cancel()
            child.end()
        }

        func poll() throws(SystemError) -> Poll<CommandEvent> {
            if !hasReportedStart {
                hasReportedStart = true
                return .value(.started(pid: child.number))
            }
            while true {
                if let event = try readOutput() { return .value(event) }
                if let exit, outputs.isEmpty { return try end(exit) }
                if exit != nil, notes.isGraceOver.withLock({ $0 }) {
                    try leaveOutput()
                } else if exit == nil, let exit = try child.exit() {
                    // All its output is in the pipes by now, so they are read once more.
                    self.exit = exit
                    try command.calls.remove(child.process, from: descriptor)
                } else if exit != nil, graceForOutput == nil {
                    waitForGrace()
                } else {
                    return .pending
                }
            }
        }

        /// Reads from one of the pipes; the next call tries the other one first.
        private func readOutput() throws(SystemError) -> CommandEvent? {
            for (source, event) in outputs {
                switch try source.poll() {
                case .value(let bytes), .last(let bytes):
                    if outputs.count > 1 { outputs.swapAt(0, 1) }
                    return event(bytes)
                case .pending, .postponed:
                    continue
                case .finished:
                    try command.calls.remove(source.descriptor, from: descriptor)
                    outputs.removeAll { $0.source === source }
                }
            }
            return nil
        }

        /// Starts the grace period in which other processes may still write.
        private func waitForGrace() {
            guard let bell = try? command.calls.childPipe(named: "bell", weRead: true),
                (try? command.calls.add(bell.ours, to: descriptor)) != nil
            else {
                // Without a descriptor the end of the grace period could not wake us.
                notes.isGraceOver.withLock { $0 = true }
                graceForOutput = AnyCancellable {}
                return
            }
            self.bell = bell.ours
            graceForOutput = command.alarm.after(command.outputGrace) { [notes] in
                notes.isGraceOver.withLock { $0 = true }
                // A pipe without a writer is readable.
                try? bell.theirs.close()
            }
        }

        /// Limits reading to what the pipes contain now; anything later is not the program's output.
        private func leaveOutput() throws(SystemError) {
            notes.isGraceOver.withLock { $0 = false }
            if let bell = bell.take() { try command.calls.remove(bell, from: descriptor) }
            for index in outputs.indices {
                let pipe = outputs[index].source.descriptor
                outputs[index].source = source(of: pipe, limit: try command.calls.countOfBytes(FIONREAD, in: pipe))
            }
        }

        /// Reads from a pipe, at most a number of bytes.
        private func source(of pipe: Descriptor, limit: Int = .max) -> DescriptorSource {
            DescriptorSource(
                pipe, kind: .nonBlocking, chunkSize: chunkSize, limit: limit, calls: command.calls)
        }

        private func end(_ exit: CommandExit) throws(SystemError) -> Poll<CommandEvent> {
            child.reap()
            if let failure = notes.inputFailure.withLock({ $0 }) { throw failure }
            return .last(.exited(exit))
        }

        private func write(_ publisher: AnyPublisher<Bytes, SystemError>, to pipe: Descriptor) {
            let calls = command.calls
            let sink = WritingSink<SystemError>(
                on: .sharing("command.input"), bufferSize: 1 << 16,
                open: { () throws(SystemError) in
                    DescriptorDestination(pipe, closesWhenAbandoned: false, calls: calls)
                },
                onEnd: { [child, notes, pipe] written in
                    switch written {
                    case .finished, .readerClosed: return
                    case .upstreamFailed(let error, _), .failed(let error, _):
                        notes.inputFailure.withLock { $0 = error }
                        child.stop()
                    }
                    // Open until the failure is noted: the program may end as soon as its input has.
                    withExtendedLifetime(pipe) {}
                })
            input = sink
            publisher.subscribe(writing: sink)
        }
    }

    extension Command {
        /// The error for what is missing: the program, or its working directory.
        fileprivate func missingPart(because error: SystemError) throws(SystemError) -> SystemError {
            guard let directory, try calls.status(ofPath: directory) == nil else { return error }
            return SystemError(call: "chdir", code: ENOENT, subject: directory)
        }
    }
#endif
