/// A file, a pipe or a device by its path, or one of the three standard streams.
///
/// ```swift no-run
/// let lines = File("access.log").bytes().lines().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
/// File.standardInput.bytes().lines().write(to: .standardOutput, terminator: "\n") { _ in }
/// ```
///
/// Nothing is opened before a subscriber requests values.
public struct File: Sendable, CustomStringConvertible {
    enum Place: Sendable {
        case path(String)
        case standardStream(Int32, name: String)
    }

    let place: Place
    let calls: SystemCalls

    /// The permissions with which it is created, if it is written to and does not exist.
    public let permissions: Permissions

    /// Names a file by its path.
    ///
    /// A name in the file system may be any bytes. In a path that Headgate delivers, a private-use character, U+10FE00
    /// to U+10FEFF, stands for each byte that is not UTF-8, and it does so here, too.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - permissions: Those with which it is created, less those that the file mode creation mask of the process
    ///     removes.
    public init(_ path: String, permissions: Permissions = .all) {
        self.init(path, permissions: permissions, calls: .live)
    }

    package init(_ path: String, permissions: Permissions = .all, calls: SystemCalls) {
        place = .path(path)
        self.permissions = permissions
        self.calls = calls
    }

    package init(standardStream number: Int32, name: String, calls: SystemCalls = .live) {
        place = .standardStream(number, name: name)
        permissions = .all
        self.calls = calls
    }

    /// The program's input: a terminal, a pipe or a file.
    public static let standardInput = File(standardStream: 0, name: "standard input")

    /// The destination of the program's results.
    public static let standardOutput = File(standardStream: 1, name: "standard output")

    /// The destination of the program's messages.
    public static let standardError = File(standardStream: 2, name: "standard error")

    /// The path, or the name of the standard stream.
    public var description: String {
        switch place {
        case .path(let path): path
        case .standardStream(_, let name): name
        }
    }
}
