#if os(Linux)
    import Headgate

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// What a program that has ended has to show for itself.
    public struct CommandOutcome: Hashable, Sendable {
        /// How it has ended.
        public let exit: CommandExit

        /// What it has written to its standard output.
        public let output: Bytes

        /// What it has written to its standard error.
        public let errors: Bytes

        /// Makes an outcome, for a test of what is done with it.
        public init(exit: CommandExit, output: Bytes, errors: Bytes) {
            self.exit = exit
            self.output = output
            self.errors = errors
        }
    }

    extension Command {
        /// Runs the program to its end, and publishes how it ended and what it wrote.
        ///
        /// ```
        /// run       -----------o|
        /// ```
        ///
        /// ```swift
        /// let cancellable = Command("uname").run()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.exit, $0.output) })
        /// // exit status 0 Linux
        /// // finished
        /// ```
        ///
        /// - **Demand**: the program is started at the first demand. Both pipes are read as fast as it writes.
        /// - **Completion**: finishes after the outcome, whatever the status of the program is; without one where `stop` is off when
        ///   the publisher is subscribed to. Fails where a call does, and with the code `EMSGSIZE` where the program writes
        ///   more than the limit, which ends it, as `cancel()` does.
        /// - **Complexity**: everything that it writes is in memory, up to the limit for each of the two pipes.
        ///
        /// - Parameters:
        ///   - maximumLength: How many bytes it may write to its output, and to its errors: 1 MiB. A negative number traps.
        ///   - stop: Has the program end when it is turned off; the outcome tells that then.
        public func run(
            maximumLength: Int = 1 << 20, stop: KillSwitch? = nil
        ) -> AnyPublisher<CommandOutcome, SystemError> {
            if maximumLength < 0 {
                programmerError(
                    rule: "The length of what a program writes is zero or more.",
                    found: "a maximum length of \(maximumLength)", remedy: "Leave the default of 1 MiB.")
            }
            return Deferred { [self] in
                // One stream uses it, and its values come one after the other.
                nonisolated(unsafe) let record = Record(command: self, maximumLength: maximumLength)
                return events(stop: stop)
                    .tryCompactMap { try record.outcome(after: $0) }
                    .mapError { $0 as? SystemError ?? SystemError(call: "run", code: EINVAL, subject: description) }
            }
            .eraseToAnyPublisher()
        }

        /// Runs the program to its end, and returns how it ended and what it wrote.
        ///
        /// ```swift
        /// if let outcome = try await Command("uname").outcome() { print(outcome.output) }
        /// // Linux
        /// ```
        ///
        /// **Demand** and **Complexity** are those of ``run(maximumLength:stop:)``. **Completion**: returns the outcome; throws a
        /// ``SystemError`` where ``run(maximumLength:stop:)`` fails. Cancelling the task ends the program, and `nil` is returned.
        public func outcome(maximumLength: Int = 1 << 20, stop: KillSwitch? = nil) async throws -> CommandOutcome? {
            for try await outcome in run(maximumLength: maximumLength, stop: stop).values { return outcome }
            return nil
        }
    }

    /// What a program has written so far.
    // One stream uses it, and its values come one after the other.
    private final class Record {
        private let command: Command
        private let maximumLength: Int
        private var output: [UInt8] = []
        private var errors: [UInt8] = []

        init(command: Command, maximumLength: Int) {
            self.command = command
            self.maximumLength = maximumLength
        }

        /// Takes in an event.
        ///
        /// - Returns: The outcome, with the last one.
        func outcome(after event: CommandEvent) throws(SystemError) -> CommandOutcome? {
            switch event {
            case .started: return nil
            case .output(let bytes): try append(bytes, to: &output)
            case .errors(let bytes): try append(bytes, to: &errors)
            case .exited(let exit): return CommandOutcome(exit: exit, output: Bytes(output), errors: Bytes(errors))
            }
            return nil
        }

        private func append(_ bytes: Bytes, to list: inout [UInt8]) throws(SystemError) {
            if list.count + bytes.count > maximumLength {
                throw SystemError(
                    call: "run", code: EMSGSIZE,
                    subject: "\(command.program) (more than \(maximumLength) bytes)")
            }
            bytes.withUnsafeBytes { list.append(contentsOf: $0) }
        }
    }
#endif
