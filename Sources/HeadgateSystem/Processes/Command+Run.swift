#if os(Linux)
    import HeadgateLibC

    /// The result of a program that has ended.
    public struct CommandOutcome: Hashable, Sendable {
        /// How it ended.
        public let exit: CommandExit

        /// Its standard output.
        public let output: Bytes

        /// Its standard error.
        public let errors: Bytes

        /// Creates an outcome, for tests of code that handles outcomes.
        public init(exit: CommandExit, output: Bytes, errors: Bytes) {
            self.exit = exit
            self.output = output
            self.errors = errors
        }
    }

    extension Command {
        /// Runs the program to its end, and publishes its exit and its output.
        ///
        /// ```
        /// run       -----------o|
        /// ```
        ///
        /// ```swift
        /// let cancellable = Command("uname").run()
        ///     .sink(
        ///         receiveCompletion: { print($0) },
        ///         receiveValue: { print($0.exit, String($0.output), terminator: "") })
        /// // exit status 0 Linux
        /// // finished
        /// ```
        ///
        /// - **Demand**: the first demand starts the program. Both pipes are read as fast as it writes.
        /// - **Completion**: finishes after the outcome, whatever the program's status; without an outcome if `stop` is
        ///   off at subscription. Fails if a system call fails, and with the code `EMSGSIZE` if the program writes more
        ///   than the limit; that terminates it, as `cancel()` does.
        /// - **Threads**: the outcome and the completion are delivered on a queue of the subscription's own.
        /// - **Complexity**: all output is kept in memory, up to the limit for each of the two pipes.
        ///
        /// - Parameters:
        ///   - maximumLength: The maximum number of bytes of its output, and of its errors: 1 MiB. A negative number
        ///     traps.
        ///   - stop: Terminates the program when it is turned off; the outcome then shows how it ended.
        public func run(
            maximumLength: Int = 1 << 20, stop: KillSwitch? = nil
        ) -> AnyPublisher<CommandOutcome, SystemError> {
            require(
                maximumLength >= 0, rule: "The maximum length of a program's output is at least zero.",
                found: "a maximum length of \(maximumLength)", remedy: "Leave the default of 1 MiB.")
            return Deferred { [self] in
                // Used by one stream, which delivers serially.
                nonisolated(unsafe) var (output, errors) = ([UInt8](), [UInt8]())
                return events(stop: stop)
                    .tryCompactMap { event in
                        switch event {
                        case .started: break
                        case .output(let bytes): try append(bytes, to: &output, maximumLength)
                        case .errors(let bytes): try append(bytes, to: &errors, maximumLength)
                        case .exited(let exit):
                            return CommandOutcome(exit: exit, output: Bytes(output), errors: Bytes(errors))
                        }
                        return nil
                    }
                    .mapError { $0 as? SystemError ?? SystemError(call: "run", code: EINVAL, subject: description) }
            }
            .eraseToAnyPublisher()
        }

        /// Runs the program to its end, and returns its exit and its output.
        ///
        /// ```swift
        /// if let outcome = try await Command("uname").outcome() { print(String(outcome.output), terminator: "") }
        /// // Linux
        /// ```
        ///
        /// Starts the program at once, keeps as much of its output as ``run(maximumLength:stop:)``, and throws a
        /// ``SystemError`` where that fails. Cancelling the task terminates the program and returns `nil`.
        public func outcome(maximumLength: Int = 1 << 20, stop: KillSwitch? = nil) async throws -> CommandOutcome? {
            for try await outcome in run(maximumLength: maximumLength, stop: stop).values { return outcome }
            return nil
        }

        private func append(_ bytes: Bytes, to list: inout [UInt8], _ maximumLength: Int) throws(SystemError) {
            if list.count + bytes.count > maximumLength {
                throw SystemError(
                    call: "run", code: EMSGSIZE, subject: "\(program) (more than \(maximumLength) bytes)")
            }
            bytes.withUnsafeBytes { list.append(contentsOf: $0) }
        }
    }
#endif
