#if os(Linux)
    import Dispatch
    import Headgate

    /// A program and what it is started with.
    ///
    /// ```swift no-run
    /// let cancellable = Command("git", "log", "--format=%an", directory: "/src/headgate").lines()
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// ```
    ///
    /// Nothing is started before somebody subscribes and asks, and then once for every subscriber. The program is the leader
    /// of a process group of its own, so Ctrl-C at the terminal reaches this program and not that one. Descriptors that
    /// Headgate opens are closed in it; those that you open yourself are if they have `O_CLOEXEC`. It has no signal blocked.
    ///
    /// A subscription that is cancelled ends its program, and so does one to ``events(chunkSize:stop:)`` that is released: the
    /// group gets `SIGTERM`, and `SIGKILL` if anybody in it is left after the grace. ``allHaveEnded()`` waits for that.
    public struct Command: Sendable, CustomStringConvertible {
        /// The name of the program, looked up in `PATH`, or its path.
        public var program: String

        /// What it is given, without its own name.
        public var arguments: [String]

        /// Its variables.
        public var environment: Environment

        /// The folder that it works in; where there is none, that of this program.
        ///
        /// A relative path to the program begins here.
        public var directory: String?

        /// What it reads.
        public var input: Input

        /// How long after `SIGTERM` the group gets `SIGKILL`.
        public var grace: Duration

        /// How long its output is waited for after its end, where programs that it has started keep the pipe open.
        public var outputGrace: Duration

        package let alarm: Alarm
        package var calls = SystemCalls.live
        package var makeQueue: @Sendable () -> DeliveryQueue = { .waiting("command") }

        /// Names a program and what it is started with.
        ///
        /// - Parameters:
        ///   - program: The name of the program, looked up in `PATH`, or its path.
        ///   - arguments: What it is given, without its own name.
        ///   - environment: Its variables.
        ///   - directory: The folder that it works in; where there is none, that of this program.
        ///   - input: What it reads; nothing by default, as from `/dev/null`.
        ///   - grace: How long after `SIGTERM` the group gets `SIGKILL`: 5 s. A negative one traps.
        ///   - outputGrace: How long its output is waited for after its end, where programs that it has started keep the pipe
        ///     open: 1 s. A negative one traps.
        ///   - scheduler: Whose clock the two go by.
        public init(
            _ program: String, arguments: [String], environment: Environment = .inherited, directory: String? = nil,
            input: Input = .none, grace: Duration = .seconds(5), outputGrace: Duration = .seconds(1),
            scheduler: some Scheduler & Sendable = DispatchQueue.global()
        ) {
            for (name, length) in [("grace", grace), ("grace for the output", outputGrace)] where length < .zero {
                programmerError(
                    rule: "The \(name) is zero or more.", found: "\(length)", remedy: "Use .zero to wait for nobody.")
            }
            self.program = program
            self.arguments = arguments
            self.environment = environment
            self.directory = directory
            self.input = input
            self.grace = grace
            self.outputGrace = outputGrace
            alarm = Alarm(scheduler)
        }

        /// Names a program and what it is started with, as on a command line.
        public init(
            _ program: String, _ arguments: String..., environment: Environment = .inherited, directory: String? = nil,
            input: Input = .none, grace: Duration = .seconds(5), outputGrace: Duration = .seconds(1),
            scheduler: some Scheduler & Sendable = DispatchQueue.global()
        ) {
            self.init(
                program, arguments: arguments, environment: environment, directory: directory, input: input,
                grace: grace, outputGrace: outputGrace, scheduler: scheduler)
        }

        /// The program and its arguments, with blanks between them.
        public var description: String { ([program] + arguments).joined(separator: " ") }

        /// Waits until no program that was started by a `Command` is left: what runs has ended, and of what was cancelled
        /// nobody in its group is left, or has got `SIGKILL`.
        ///
        /// A program calls this before it exits, so that it leaves nobody behind. A subscription that is held and asks for nothing
        /// keeps its program, and this waits for it.
        public static func allHaveEnded() async { await Children.shared.untilNoneIsLeft() }
    }

    extension Command {
        /// The variables of a program.
        public enum Environment: Hashable, Sendable {
            /// Those of this program.
            case inherited
            /// Those of this program, and others, which replace variables of the same name.
            case adding([String: String])
            /// These and no others.
            case exactly([String: String])
        }

        /// What a program reads.
        public struct Input: Sendable {
            let make: (@Sendable () -> AnyPublisher<Bytes, SystemError>)?

            /// Nothing, as from `/dev/null`.
            public static let none = Input(make: nil)

            /// These bytes.
            public static func bytes(_ bytes: Bytes) -> Input {
                publisher { Just(bytes).setFailureType(to: SystemError.self) }
            }

            /// What a publisher has, as fast as the program reads it.
            ///
            /// ```swift no-run
            /// let sorted = Command("sort", input: .publisher { File("names").bytes() }).lines()
            /// ```
            ///
            /// Asked for as much as the program has room for. The program sees the end when it finishes. Where it fails, the program
            /// gets `SIGTERM`, so that it does not take a part for the whole, and the stream fails in the same way. Where the
            /// program ends or closes its input before that, the publisher is cancelled.
            ///
            /// - Parameter make: Makes a publisher; called for each start of the program.
            public static func publisher<P: Publisher & SendableMetatype>(_ make: @escaping @Sendable () -> P) -> Input
            where P.Output == Bytes, P.Failure == SystemError {
                Input { AnyPublisher(hiding: make()) }
            }
        }

        /// Where the errors of a program go whose output is read.
        public enum Errors: Hashable, Sendable {
            /// To the standard error of this program.
            case inherited
            /// Nowhere.
            case discarded
            /// Into its output.
            case merged
        }
    }
#endif
