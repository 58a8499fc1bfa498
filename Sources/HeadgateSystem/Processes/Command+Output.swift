#if os(Linux)
    extension Command {
        /// Publishes the program's standard output in chunks.
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
        /// - **Demand**: the first demand starts the program; then one chunk is read per chunk requested. What is not
        ///   requested stays in the pipe, and a program that has filled it blocks in `write`.
        /// - **Completion**: finishes when the program has exited with status zero, and fails with
        ///   ``CommandFailure/exited(_:command:)`` when it has ended in any other way, in both cases after all of its
        ///   output. Fails with ``CommandFailure/system(_:)`` if a system call fails. `cancel()` terminates the program
        ///   as for ``events(chunkSize:stop:)``.
        /// - **Threads**: chunks and the completion are delivered on a queue of the subscription's own.
        /// - **Complexity**: one allocation and about two system calls per chunk.
        ///
        /// - Parameters:
        ///   - chunkSize: The maximum number of bytes per chunk; less than one traps.
        ///   - errors: Where its standard error goes; by default to that of this program.
        ///   - stop: Terminates the program when it is turned off; its exit is then not a failure.
        public func bytes(
            chunkSize: Int = 1 << 16, errors: Errors = .inherited, stop: KillSwitch? = nil
        ) -> AnyPublisher<Bytes, CommandFailure> {
            checkSize(chunkSize, ofA: "chunk")
            return output(chunkSize: chunkSize, errors: errors, stop: stop) { $0 }
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
        /// Lines are split like the `lines` of a publisher of bytes; for bytes instead of texts, or
        /// frames, apply the operator to ``events(chunkSize:stop:)``.
        ///
        /// - **Demand**: as many lines as requested; a chunk is read when the previous one is used up.
        /// - **Completion**: as for ``bytes(chunkSize:errors:stop:)``, after the last line. Fails if a line exceeds the
        ///   limit (`EMSGSIZE`), unless `longLines` says otherwise, which terminates the program.
        /// - **Threads**: a line is delivered on a queue of the subscription's own, or, if its chunk has been read, on the
        ///   thread that requests it.
        /// - **Complexity**: one pass over the bytes by `memchr`, and one string per line.
        ///
        /// - Parameters:
        ///   - maximumLength: The maximum length of a line in bytes: 1 MiB. Less than one traps.
        ///   - terminators: The terminator of a line.
        ///   - longLines: What happens to a longer line.
        ///   - unterminated: What happens to a last line without a terminator.
        ///   - errors: Where its standard error goes; by default to that of this program.
        ///   - stop: Terminates the program when it is turned off; its exit is then not a failure.
        public func lines(
            maximumLength: Int = 1 << 20, terminators: LineTerminators = .lineFeed, longLines: LongLines = .fail,
            unterminated: UnterminatedLine = .deliver, errors: Errors = .inherited, stop: KillSwitch? = nil
        ) -> AnyPublisher<String, CommandFailure> {
            output(chunkSize: 1 << 16, errors: errors, stop: stop) {
                $0.lines(
                    maximumLength: maximumLength, terminators: terminators, longLines: longLines,
                    unterminated: unterminated)
            }
        }

        /// The split output, followed by a failure if the program failed.
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
                    .append(
                        Deferred {
                            failure.withLock { $0 }.map { AnyPublisher(Fail<Split.Output, _>(error: $0)) }
                                ?? AnyPublisher(Empty())
                        })
            }
            .eraseToAnyPublisher()
        }
    }
#endif
