import Glibc
import HeadgateSystem
import HeadgateTesting
import XCTest

/// An example that is built beside the tests, and runs.
final class Example {
    private let subscriber = TestSubscriber<CommandEvent, SystemError>(.unlimited)

    /// Where the program of a product is.
    static func path(of name: String) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let length = max(0, readlink("/proc/self/exe", &path, path.count))
        let tests = String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return tests.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/" + name
    }

    /// Starts it.
    init(_ name: String, _ arguments: String..., input: Command.Input = .none) {
        Command(Self.path(of: name), arguments: arguments, input: input).events().subscribe(subscriber)
        eventually { process != nil || subscriber.completion != nil }
    }

    /// Starts a line of a shell, in which `"$0"` is the program.
    init(_ name: String, inShell line: String, _ arguments: String...) {
        Command("/bin/sh", arguments: ["-c", line, Self.path(of: name)] + arguments).events().subscribe(subscriber)
        eventually { process != nil || subscriber.completion != nil }
    }

    deinit { subscriber.cancel() }

    /// The number of its process, once it has started.
    private var process: pid_t? {
        for case .started(let process) in subscriber.values { return process }
        return nil
    }

    var output: String {
        subscriber.values.reduce(into: "") { if case .output(let bytes) = $1 { $0 += String(bytes) } }
    }

    var errors: String {
        subscriber.values.reduce(into: "") { if case .errors(let bytes) = $1 { $0 += String(bytes) } }
    }

    /// How it has ended, if it has.
    private var exit: CommandExit? {
        if case .exited(let exit) = subscriber.values.last { return exit }
        return nil
    }

    /// Sends it a signal, as a terminal does.
    func signal(_ signal: Signal) {
        guard let process = process else { return XCTFail("it does not run: \(subscriber.events)") }
        kill(process, signal.number)
    }

    /// Waits until it catches a signal.
    func awaitReadiness(for signal: Signal) {
        eventually("it catches \(signal)") {
            guard let process = process, let file = fopen("/proc/\(process)/status", "r") else {
                return false
            }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            while fgets(&line, Int32(line.count), file) != nil {
                let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                guard text.hasPrefix("SigCgt:"), let bits = text.split(separator: "\t").last?.dropLast() else {
                    continue
                }
                return (UInt64(bits, radix: 16) ?? 0) & 1 << UInt64(signal.number - 1) != 0
            }
            return false
        }
    }

    /// Waits until it has ended.
    func awaitEnd() -> CommandExit? {
        eventually("the end of the example, after \(output)\(errors)") { subscriber.completion != nil }
        return exit
    }
}
