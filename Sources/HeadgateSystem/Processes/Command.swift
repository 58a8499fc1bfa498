#if os(Linux)
    import Dispatch

    /// A program with its arguments, environment and input.
    ///
    /// ```swift no-run
    /// let cancellable = Command("git", "log", "--format=%an", directory: "/src/headgate").lines()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// Nothing is started before a subscriber requests values, and then once per subscriber. The program is the leader
    /// of a session of its own, without a terminal, unless it ``Terminal/shared`` that of this process: so Ctrl-C
    /// interrupts this process and not that program, and a program that asks for a password fails at once instead of
    /// waiting for an answer that can't come. Descriptors that Headgate opens are closed in it; those that you open
    /// yourself are closed if they have `O_CLOEXEC`. No signal is blocked in it.
    ///
    /// Cancelling a subscription terminates its program, and so does releasing one to ``events(chunkSize:stop:)``: the
    /// group gets `SIGTERM`, and `SIGKILL` if a process in it is left after the grace period. ``allHaveEnded()`` waits
    /// for that.
    public struct Command: Sendable, CustomStringConvertible {
        /// The name of the program, looked up in the `PATH` of its ``environment``, or its path.
        public var program: String

        /// Its arguments, without its own name.
        public var arguments: [String]

        /// Its environment variables.
        public var environment: Environment

        /// Its working directory; `nil` for that of this process.
        ///
        /// A relative path to the program is resolved here.
        public var directory: String?

        /// Its standard input.
        public var input: Input

        /// Whether it may use the terminal of this process.
        public var terminal: Terminal

        /// Sends it signals, and tells whether it runs.
        public var handle: CommandHandle?

        /// The time between `SIGTERM` and `SIGKILL`.
        public var grace: Duration

        /// How long to wait for more output after its exit, if processes it has started keep the pipe open.
        public var outputGrace: Duration

        package let alarm: Alarm
        package var calls = SystemCalls.live

        /// Creates a command.
        ///
        /// - Parameters:
        ///   - program: The name of the program, looked up in the `PATH` of its environment, or its path.
        ///   - arguments: Its arguments, without its own name.
        ///   - environment: Its environment variables.
        ///   - directory: Its working directory; `nil` for that of this process.
        ///   - input: Its standard input; empty by default, as from `/dev/null`.
        ///   - terminal: Whether it may use the terminal of this process; by default it has none.
        ///   - handle: Sends it signals, and tells whether it runs.
        ///   - grace: The time between `SIGTERM` and `SIGKILL`: 5 s. A negative one traps.
        ///   - outputGrace: How long to wait for more output after its exit, if processes it has started keep the pipe
        ///     open: 1 s. A negative one traps.
        ///   - scheduler: The clock that measures both.
        public init(
            _ program: String, arguments: [String], environment: Environment = .inherited, directory: String? = nil,
            input: Input = .none, terminal: Terminal = .detached, handle: CommandHandle? = nil,
            grace: Duration = .seconds(5), outputGrace: Duration = .seconds(1),
            scheduler: some Scheduler & Sendable = DispatchQueue.global()
        ) {
            for (name, length) in [("grace", grace), ("grace for the output", outputGrace)] where length < .zero {
                programmerError(
                    rule: "The \(name) is at least zero.", found: "\(length)", remedy: "Use .zero to wait for nothing.")
            }
            self.program = program
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
            self.input = input
            self.terminal = terminal
            self.handle = handle
            self.grace = grace
            self.outputGrace = outputGrace
            alarm = Alarm(scheduler)
        }

        /// Creates a command from a list of arguments, as on a command line.
        public init(
            _ program: String, _ arguments: String..., environment: Environment = .inherited, directory: String? = nil,
            input: Input = .none, terminal: Terminal = .detached, handle: CommandHandle? = nil,
            grace: Duration = .seconds(5), outputGrace: Duration = .seconds(1),
            scheduler: some Scheduler & Sendable = DispatchQueue.global()
        ) {
            self.init(
                program, arguments: arguments, environment: environment, directory: directory, input: input,
                terminal: terminal, handle: handle, grace: grace, outputGrace: outputGrace, scheduler: scheduler)
        }

        /// The program and its arguments, separated by spaces.
        public var description: String { ([program] + arguments).joined(separator: " ") }

        /// Waits until every program started by a `Command` has ended; of a cancelled one, until every process in its
        /// group has ended or got `SIGKILL`.
        ///
        /// Call it before the process exits, so that no child process outlives it. A subscription that is held without
        /// demand keeps its program running, and this waits for it.
        public static func allHaveEnded() async { await Children.shared.untilNoneIsLeft() }
    }

    extension Command {
        /// The environment variables of a program.
        public enum Environment: Hashable, Sendable {
            /// Those of this process.
            case inherited
            /// Those of this process, and others, which replace variables of the same name.
            case adding([String: String])
            /// Only these.
            case exactly([String: String])
        }

        /// The standard input of a program.
        public struct Input: Sendable {
            enum Kind: Sendable {
                case none
                case inherited
                case publisher(@Sendable () -> AnyPublisher<Bytes, SystemError>)
            }

            let kind: Kind

            /// No input, as from `/dev/null`.
            public static let none = Input(kind: .none)

            /// That of this process, which must not read it meanwhile.
            ///
            /// A program that reads from the terminal shares it, too: `terminal: .shared`.
            public static let inherited = Input(kind: .inherited)

            /// These bytes.
            public static func bytes(_ bytes: Bytes) -> Input {
                publisher { Just(bytes).setFailureType(to: SystemError.self) }
            }

            /// The bytes of a publisher, at the rate at which the program reads them.
            ///
            /// ```swift no-run
            /// let sorted = Command("sort", input: .publisher { File("names").bytes() }).lines()
            /// ```
            ///
            /// Requests as much as the pipe has room for. When the publisher finishes, the program's input ends. If it
            /// fails, the program gets `SIGTERM`, so that it does not mistake a part for the whole, and the stream
            /// fails with the same error. If the program exits or closes its input first, the publisher is cancelled.
            ///
            /// - Parameter make: Creates a publisher; called once per start of the program.
            public static func publisher<P: Publisher<Bytes, SystemError> & SendableMetatype>(
                _ make: @escaping @Sendable () -> P
            ) -> Input {
                Input(kind: .publisher { AnyPublisher(make()) })
            }
        }

        /// Whether a program may use the terminal of this process.
        public enum Terminal: Hashable, Sendable {
            /// Nothing: it leads a session of its own. If it opens `/dev/tty`, that fails (`ENXIO`), and signals of the
            /// keyboard do not reach it.
            case detached
            /// It is in the process group of this process, may ask at the terminal when this process may, and gets the
            /// signals of the keyboard, too. Only the program itself is terminated by `cancel()`, and not others that it
            /// has started.
            case shared
        }

        /// The destination of a program's standard error.
        public enum Errors: Hashable, Sendable {
            /// The standard error of this process.
            case inherited
            /// Nowhere.
            case discarded
            /// The program's standard output.
            case merged
        }
    }
#endif
