#if os(Linux)
    import Headgate

    extension Command {
        /// Publishes what the program writes to its standard output, chunk by chunk.
        ///
        /// ```
        /// bytes     ---c---c---c|
        /// ```
        ///
        /// ```swift no-run
        /// let copying = Command("gzip", "-dc", "log.gz").bytes()
        ///     .write(to: File("log"), mode: .replace) { print($0) }
        /// ```
        ///
        /// - **Demand**: the program is started at the first demand; then one chunk is read for each one asked for. What nobody asks
        ///   for stays in the pipe, and a program that has filled it waits in its own `write`.
        /// - **Completion**: finishes when the program has exited with the status zero, and fails with
        ///   ``CommandFailure/exited(_:command:)`` when it has ended in any other way, each after all of its output. Fails with
        ///   ``CommandFailure/system(_:)`` where a call does. At `cancel()` the program is ended as by ``events(chunkSize:stop:)``.
        /// - **Complexity**: one allocation and about two system calls a chunk.
        ///
        /// - Parameters:
        ///   - chunkSize: How many bytes a chunk has at most; less than one traps.
        ///   - errors: Where its standard error goes: by default where that of this program does.
        ///   - stop: Has the program end when it is turned off; its end is then no failure.
        public func bytes(
            chunkSize: Int = 1 << 16, errors: Errors = .inherited, stop: KillSwitch? = nil
        ) -> AnyPublisher<Bytes, CommandFailure> {
            output(chunkSize: chunkSize, errors: errors, stop: stop) { $0 }
        }

        /// Publishes the lines that the program writes to its standard output.
        ///
        /// ```
        /// lines     ---a--b---c|
        /// ```
        ///
        /// ```swift no-run
        /// let cancellable = Command("git", "log", "--format=%an").lines()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        /// ```
        ///
        /// Lines are split as by the `lines` of a publisher of bytes; for other terminators, bytes instead of texts, or frames, put
        /// the operator after ``events(chunkSize:stop:)``.
        ///
        /// - **Demand**: as many lines as asked for; a chunk is read when the one before is used up.
        /// - **Completion**: as for ``bytes(chunkSize:errors:stop:)``, after the last line. Fails where a line is longer than the
        ///   limit (`EMSGSIZE`), and ends the program.
        /// - **Complexity**: one pass over the bytes by `memchr`, and one string a line.
        ///
        /// - Parameters:
        ///   - maximumLength: The length in bytes that a line may have: 1 MiB. Less than one traps.
        ///   - errors: Where its standard error goes: by default where that of this program does.
        ///   - stop: Has the program end when it is turned off; its end is then no failure.
        public func lines(
            maximumLength: Int = 1 << 20, errors: Errors = .inherited, stop: KillSwitch? = nil
        ) -> AnyPublisher<String, CommandFailure> {
            output(chunkSize: 1 << 16, errors: errors, stop: stop) { $0.lines(maximumLength: maximumLength) }
        }

        /// The output, split by whatever splits it, and then the failure that the end of the program is.
        private func output<Split: Publisher & SendableMetatype>(
            chunkSize: Int, errors: Errors, stop: KillSwitch?,
            _ split: @escaping @Sendable (Publishers.CompactMap<Publishers.CommandEvents, Bytes>) -> Split
        ) -> AnyPublisher<Split.Output, CommandFailure> where Split.Failure == SystemError {
            let events = Publishers.CommandEvents(command: self, errors: errors, chunkSize: chunkSize, stop: stop)
            let name = description
            return Deferred {
                let failure = Guarded<CommandFailure?>(nil)
                let chunks = events.compactMap { event -> Bytes? in
                    switch event {
                    case .output(let bytes): return bytes
                    case .exited(let exit) where !exit.isSuccess && !(stop?.isOff ?? false):
                        failure.withLock { $0 = .exited(exit, command: name) }
                    default: break
                    }
                    return nil
                }
                return split(chunks)
                    .mapError(CommandFailure.system)
                    .append(Deferred { Ending<Split.Output>(failure.withLock { $0 }) })
            }
            .eraseToAnyPublisher()
        }
    }

    /// Nothing but an end.
    private struct Ending<Output>: Publisher {
        typealias Failure = CommandFailure

        let failure: CommandFailure?

        init(_ failure: CommandFailure?) { self.failure = failure }

        func receive(subscriber: some Subscriber<Output, CommandFailure>) {
            if let failure {
                Fail(error: failure).receive(subscriber: subscriber)
            } else {
                Empty().receive(subscriber: subscriber)
            }
        }
    }
#endif
