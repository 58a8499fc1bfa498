#if os(Linux)
    extension Command {
        /// Publishes the events of the program: its start, its output and its exit.
        ///
        /// ```
        /// events    ---started---output---errors---output---exited|
        /// ```
        ///
        /// ```swift
        /// let cancellable = Command("sh", "-c", "echo out; echo err >&2; exit 3").events()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        /// // started(pid: …)
        /// // output(4 bytes)
        /// // errors(4 bytes)
        /// // exited(exit status 3)
        /// // finished
        /// ```
        ///
        /// The order of chunks is preserved within each of the two pipes, but not between them.
        ///
        /// - **Demand**: the first demand starts the program; then one chunk is read per event requested, alternating
        ///   between the two pipes. What is not requested stays in the pipes, and a program that has filled one blocks
        ///   in `write`. An exit is detected, and the process reaped, only with demand or at `cancel()`.
        /// - **Completion**: finishes after `exited`, whatever the status. If processes started by the program keep a
        ///   pipe open, ``outputGrace`` passes first; what they write later is not read, and they keep running. Fails
        ///   with a ``SystemError`` if the program can't be started (`ENOENT`, `EACCES`, `EMFILE`, `EAGAIN`), or the
        ///   input fails. At `cancel()`, and when the subscription is released, its group gets `SIGTERM`, and `SIGKILL`
        ///   after ``grace``.
        /// - **Threads**: events and the completion are delivered on a queue of the subscription's own.
        /// - **Complexity**: one allocation and about two system calls per chunk. Five descriptors, and two more during
        ///   the output grace period.
        ///
        /// - Parameters:
        ///   - chunkSize: The maximum number of bytes per chunk; less than one traps.
        ///   - stop: Terminates the program when it is turned off, as `cancel()` does, but the stream continues to its
        ///     end. If it is off at subscription, nothing is started, and the stream finishes.
        public func events(chunkSize: Int = 1 << 16, stop: KillSwitch? = nil) -> Publishers.CommandEvents {
            checkSize(chunkSize, ofA: "chunk")
            return Publishers.CommandEvents(command: self, errors: nil, chunkSize: chunkSize, stop: stop)
        }
    }

    extension Publishers {
        /// A publisher of the events of a program.
        public struct CommandEvents: Publisher, Sendable {
            /// The type of the published values.
            public typealias Output = CommandEvent

            /// The type of error that the stream may fail with.
            public typealias Failure = SystemError

            /// The command.
            public let command: Command

            let errors: Command.Errors?
            let chunkSize: Int
            let stop: KillSwitch?

            /// Connects a subscriber; its first demand starts the program.
            @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
                serve(AnySubscriber(subscriber))
            }

            @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
                if stop?.isOff ?? false {
                    return Empty<Output, Failure>().receive(subscriber: subscriber)
                }
                PollingPublisher(name: "Command", on: { .waiting("command") }) { () throws(SystemError) in
                    try CommandSource(command, errors: errors, chunkSize: chunkSize, stop: stop)
                }
                .serve(subscriber)
            }
        }
    }
#endif
