/// How a program has ended.
public enum CommandExit: Hashable, Sendable, CustomStringConvertible {
    /// It has exited with a status; zero means success.
    case status(Int32)
    /// A signal has ended it.
    case signal(Signal)

    /// Whether it has exited with the status zero.
    public var isSuccess: Bool { self == .status(0) }

    /// For example `exit status 1`, or `ended by SIGKILL`.
    public var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let signal): "ended by \(signal)"
        }
    }
}

/// What there is to tell of a program that runs.
public enum CommandEvent: Hashable, Sendable {
    /// It runs, as the leader of a process group of the same number.
    case started(pid: Int32)
    /// It has written to its standard output.
    case output(Bytes)
    /// It has written to its standard error.
    case errors(Bytes)
    /// It has ended, and everything that it wrote has been published.
    case exited(CommandExit)
}

/// Why a stream of a program's output has failed.
public enum CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A call of the system failed: the program is not there (`ENOENT`), there are too many processes (`EAGAIN`).
    case system(SystemError)
    /// The program has ended without success.
    case exited(CommandExit, command: String)

    /// For example `git log: exit status 128`.
    public var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .exited(let exit, let command): "\(command): \(exit)"
        }
    }
}
