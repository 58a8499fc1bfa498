import HeadgateLibC

/// A signal of the operating system.
///
/// ```swift
/// print(Signal.interrupt, Signal(15))
/// // SIGINT SIGTERM
/// ```
public struct Signal: Hashable, Sendable, CustomStringConvertible {
    /// The number in the system.
    public let number: Int32

    /// Names a signal by its number.
    public init(_ number: Int32) { self.number = number }

    /// The terminal or the connection is gone (`SIGHUP`); many servers reload their configuration.
    public static let hangUp = Signal(SIGHUP)

    /// Ctrl-C (`SIGINT`).
    public static let interrupt = Signal(SIGINT)

    /// Ctrl-\ (`SIGQUIT`).
    public static let quit = Signal(SIGQUIT)

    /// The request to terminate (`SIGTERM`).
    public static let terminate = Signal(SIGTERM)

    /// Defined by the program (`SIGUSR1`).
    public static let user1 = Signal(SIGUSR1)

    /// Defined by the program (`SIGUSR2`).
    public static let user2 = Signal(SIGUSR2)

    /// A child has exited or stopped (`SIGCHLD`).
    public static let child = Signal(SIGCHLD)

    /// Continues a stopped process (`SIGCONT`).
    public static let `continue` = Signal(SIGCONT)

    /// Ctrl-Z (`SIGTSTP`).
    public static let suspend = Signal(SIGTSTP)

    /// The terminal was resized (`SIGWINCH`).
    public static let windowChange = Signal(SIGWINCH)

    /// A system timer has expired (`SIGALRM`).
    public static let alarm = Signal(SIGALRM)

    /// A write to a pipe without a reader (`SIGPIPE`).
    public static let brokenPipe = Signal(SIGPIPE)

    /// Kills a process immediately; can't be caught (`SIGKILL`).
    public static let kill = Signal(SIGKILL)

    /// Stops a process; can't be caught (`SIGSTOP`).
    public static let stop = Signal(SIGSTOP)

    /// A process has aborted (`SIGABRT`).
    public static let abort = Signal(SIGABRT)

    /// The name, such as `SIGTERM`.
    public var description: String { Signal.names[number] ?? "signal \(number)" }

    /// Its bit in a set of signals.
    var bit: UInt64 { 1 << UInt64(number - 1) }

    /// Whether a program may handle it with a publisher.
    var canBeAwaited: Bool {
        // The last four are raised by a faulting instruction, which faults again if the signal handler returns.
        (1...64).contains(number) && ![SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGILL, SIGFPE].contains(number)
    }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
        SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
        SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGTTIN: "SIGTTIN",
        SIGTTOU: "SIGTTOU", SIGURG: "SIGURG", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ", SIGVTALRM: "SIGVTALRM",
        SIGPROF: "SIGPROF", SIGWINCH: "SIGWINCH", SIGIO: "SIGIO", SIGSYS: "SIGSYS",
    ]
}
