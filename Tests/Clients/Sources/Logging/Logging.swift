import Synchronization

/// In the place of swift-log, with the form of what the page ServerLibraries.md uses of it: remembers its lines.
public final class Logger: Sendable {
    private let all = Mutex<[String]>([])

    public init(label: String) {}

    public func info(_ message: String) { all.withLock { $0.append("info: \(message)") } }
    public func warning(_ message: String) { all.withLock { $0.append("warning: \(message)") } }
    public func error(_ message: String) { all.withLock { $0.append("error: \(message)") } }

    public var lines: [String] { all.withLock { $0 } }
}
