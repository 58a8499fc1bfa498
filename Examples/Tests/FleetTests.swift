import Foundation
import XCTest

/// The example `fleet`, under fire: for ten minutes where the variable HEADGATE_EFFORT is `full`, and for seconds otherwise.
final class FleetTests: XCTestCase {
    private static let isFull = ProcessInfo.processInfo.environment["HEADGATE_EFFORT"] == "full"

    private func start(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard folders.contains(where: { access("\($0)/redis-server", X_OK) == 0 }) else {
            throw XCTSkip("There is no redis-server: apt-get install redis-server")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Example.path(of: "fleet"))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    func test_losesNothing() throws {
        let count = Self.isFull ? 100_000 : 3_000
        let seconds = Self.isFull ? 600 : 3
        let (process, output) = try start([
            "--entries", "\(count)", "--kill", "2", "--cut", Self.isFull ? "3" : "1", "--crash",
            Self.isFull ? "5" : "1", "--seconds", "\(seconds)",
        ])
        var sizes: [(memory: Int, descriptors: Int)] = []
        while process.isRunning {
            let number = "\(process.processIdentifier)"
            sizes.append((ProcessFacts.resident(number), ProcessFacts.descriptors(number)))
            usleep(100_000)
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        XCTAssertEqual(process.terminationStatus, 0, text)
        XCTAssertTrue(text.contains("\(count) added, \(count - 10) processed at least once, "), text)
        XCTAssertTrue(text.contains(" repeated, 0 lost\n"), text)
        XCTAssertTrue(text.contains("dead letters       10\n"), text)
        XCTAssertTrue(text.contains("out of order       0\n"), text)
        // A worker requests ten batches of 32; those on which work has failed wait until they are taken over.
        let most = text.split(separator: "\n").first { $0.hasPrefix("most pending ") }?.split(separator: " ")[2]
        XCTAssertLessThanOrEqual(try XCTUnwrap(most.flatMap { Int($0) }, text), 320 + 2 * 32 + 10, text)
        // Four workers, the server and the connections have some 30.
        XCTAssertLessThan(sizes.map(\.descriptors).max() ?? 0, 80)
        if Self.isFull {
            let half = sizes.count / 2
            let (first, second) = (sizes[..<half].map(\.memory).max()!, sizes[half...].map(\.memory).max()!)
            XCTAssertLessThan(second, first + first / 10 + (4 << 20), "\(first) \(second)")
            print("fleet: \(text)memory \(first >> 10) KiB, then \(second >> 10) KiB")
        }
    }

    /// Ctrl-C ends the workers and the server, and leaves no folder.
    func test_anInterruptLeavesNothingBehind() throws {
        let (process, _) = try start(["--seconds", "60"])
        var folder: String?
        eventually("the server and all workers run") {
            let children = ProcessFacts.children(of: process.processIdentifier)
            let workers = children.filter { $0.contains("--worker") }
            let url = workers.first.flatMap { words in words.firstIndex(of: "--redis").map { words[$0 + 1] } }
            folder = url.map { String($0.dropFirst("unix://".count).dropLast("/socket".count)) }
            return workers.count == 4 && children.count == 5
        }
        process.interrupt()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 128 + SIGINT)
        let left = try XCTUnwrap(folder)
        XCTAssertFalse(FileManager.default.fileExists(atPath: left))
        eventually("no process is left") { !ProcessFacts.all().contains { $0.words.contains { $0.contains(left) } } }
    }
}

/// What the kernel tells about other processes.
private enum ProcessFacts {
    static func resident(_ number: String) -> Int {
        let words = (try? String(contentsOfFile: "/proc/\(number)/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * Int(getpagesize()) : 0
    }

    static func descriptors(_ number: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/fd").count) ?? 0
    }

    /// The command lines of the children of a process.
    static func children(of parent: Int32) -> [[String]] { all().filter { $0.parent == parent }.map(\.words) }

    static func all() -> [(parent: Int32, words: [String])] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { Int32($0) != nil }.compactMap { name in
            guard let line = try? String(contentsOfFile: "/proc/\(name)/cmdline", encoding: .utf8),
                let facts = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                // The name of the program is in parentheses, and may contain anything.
                let end = facts.lastIndex(of: ")")
            else { return nil }
            let fields = facts[end...].split(separator: " ")
            guard fields.count > 2, let parent = Int32(fields[2]) else { return nil }
            return (parent, line.split(separator: "\0").map { String($0) })
        }
    }
}
