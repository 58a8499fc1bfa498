#if os(Linux)
    import Headgate

    extension Command {
        /// Publishes what there is to tell of the program: that it has started, what it writes, and how it ended.
        ///
        /// ```
        /// events    ---started---output---errors---output---exited|
        /// ```
        ///
        /// ```swift
        /// let cancellable = Command("sh", "-c", "echo out; echo err >&2; exit 3").events()
        ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
        /// // started(pid: …)
        /// // output(out)
        /// // errors(err)
        /// // exited(exit status 3)
        /// // finished
        /// ```
        ///
        /// The order of chunks is kept for each of the two pipes, and not between them.
        ///
        /// - **Demand**: the program is started at the first demand; then one chunk is read for each event asked for, from the two
        ///   pipes in turns. What nobody asks for stays in the pipes, and a program that has filled one waits in its own
        ///   `write`. A program that has ended is noticed, and taken off the system's list, by demand or `cancel()`.
        /// - **Completion**: finishes after `exited`, whatever the status. Where programs that this one has started keep a pipe open,
        ///   ``outputGrace`` passes first, and what they write later is not read; they go on. Fails with a ``SystemError`` if
        ///   the program can't be started (`ENOENT`, `EACCES`, `EMFILE`, `EAGAIN`), or the input fails. At `cancel()`, and
        ///   when the subscription is released, its group gets `SIGTERM`, and `SIGKILL` after ``grace``.
        /// - **Complexity**: one allocation and about two system calls a chunk. Five descriptors, and two more during the grace.
        ///
        /// - Parameters:
        ///   - chunkSize: How many bytes a chunk has at most; less than one traps.
        ///   - stop: Has the program end when it is turned off, as `cancel()` does, but the stream goes on to its end. Where it is
        ///     off when the publisher is subscribed to, nothing is started, and the stream finishes.
        public func events(chunkSize: Int = 1 << 16, stop: KillSwitch? = nil) -> Publishers.CommandEvents {
            Publishers.CommandEvents(command: self, errors: nil, chunkSize: chunkSize, stop: stop)
        }
    }

    extension Publishers {
        /// A publisher of what there is to tell of a program.
        public struct CommandEvents: Publisher, Sendable {
            /// What happens.
            public typealias Output = CommandEvent

            /// What goes wrong with programs.
            public typealias Failure = SystemError

            /// The program and what it is started with.
            public let command: Command

            let errors: Command.Errors?
            let chunkSize: Int
            let stop: KillSwitch?

            init(command: Command, errors: Command.Errors?, chunkSize: Int, stop: KillSwitch?) {
                checkChunkSize(chunkSize)
                self.command = command
                self.errors = errors
                self.chunkSize = chunkSize
                self.stop = stop
            }

            /// Connects a subscriber, which starts the program when it asks.
            public func receive(subscriber: some Subscriber<Output, Failure>) {
                if stop?.isOff ?? false {
                    return Empty<Output, Failure>().receive(subscriber: subscriber)
                }
                let conduit = PollingConduit<CommandSource>(
                    name: "Command", on: command.makeQueue(), to: AnySubscriber(subscriber)
                ) { [self] () throws(SystemError) in
                    try CommandSource(command, errors: errors, chunkSize: chunkSize, stop: stop)
                }
                subscriber.receive(subscription: conduit)
            }
        }
    }
#endif
