/// How a program ended.
public enum CommandExit: Hashable, Sendable, CustomStringConvertible {
    /// It exited with a status; zero means success.
    case status(Int32)
    /// A signal terminated it.
    case signal(Signal)

    /// Whether it exited with status zero.
    public var isSuccess: Bool { self == .status(0) }

    /// For example `exit status 1`, or `ended by SIGKILL`.
    public var description: String {
        switch self {
        case .status(let status): "exit status \(status)"
        case .signal(let signal): "ended by \(signal)"
        }
    }
}

/// An event of a running program.
public enum CommandEvent: Hashable, Sendable {
    /// It runs, as the leader of a process group with the same ID.
    case started(pid: Int32)
    /// It wrote to its standard output.
    case output(Bytes)
    /// It wrote to its standard error.
    case errors(Bytes)
    /// It ended, and all of its output has been published.
    case exited(CommandExit)
}

/// The failure of a stream of a program's output.
public enum CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call failed: the program does not exist (`ENOENT`), there are too many processes (`EAGAIN`).
    case system(SystemError)
    /// The program ended without success.
    case exited(CommandExit, command: String)

    /// For example `git log: exit status 128`.
    public var description: String {
        switch self {
        case .system(let error): "\(error)"
        case .exited(let exit, let command): "\(command): \(exit)"
        }
    }
}
