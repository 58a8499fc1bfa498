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

    /// Names a file by its path.
    public init(_ path: String) { self.init(path, calls: .live) }

    package init(_ path: String, calls: SystemCalls) {
        place = .path(path)
        self.calls = calls
    }

    package init(standardStream number: Int32, name: String, calls: SystemCalls = .live) {
        place = .standardStream(number, name: name)
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
