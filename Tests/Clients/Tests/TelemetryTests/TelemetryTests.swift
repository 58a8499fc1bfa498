import HeadgateFlow
import Logging
import Metrics
import NIOCore
import NIOPosix
import ServiceLifecycle
import XCTest

@testable import Telemetry

/// The program of the page ServerLibraries.md, with stand-ins for the packages that it is written for.
final class TelemetryTests: XCTestCase {
    func test_nothingIsLost() async throws {
        try await Host.serving(port: 1) { host in
            let all = try await host.connect("all")
            try await host.wait { host.stage("all") != nil }
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { try await host.send(40) } }
                var received = ""
                while received.count(where: { $0 == "\n" }) < 200, let buffer = try await all.input.next() {
                    received += String(decoding: buffer.readableBytesView, as: UTF8.self)
                }
                XCTAssertEqual(received.split(separator: "\n").count { $0 == "name0 1" }, 5 * 14)
                try await group.waitForAll()
            }
            try await host.wait { host.sumOfAllSeconds == 200 }
            let recording = record(host.telemetry.flow, every: .milliseconds(1))
            try await host.wait { Gauge.latest("stage_values flow=telemetry stage=sent") == 200 }
            XCTAssertEqual(Gauge.latest("stage_dropped_values flow=telemetry stage=all"), 0)
            recording.cancel()
            XCTAssertEqual(host.logger.lines.filter { !$0.hasPrefix("info") }, [])
        }
    }

    func test_aClientThatDoesNotReadLosesTheOldestAndHoldsNobodyBack() async throws {
        try await Host.serving(port: 2) { host in
            let latest = try await host.connect("latest")
            try await host.wait { host.stage("latest") != nil }
            try await host.send(150)
            try await host.wait { host.stage("sent")?.values == 150 }
            try await host.wait { host.stage("latest")!.dropped > 40 }
            latest.output.close()
            latest.input.close()
        }
    }

    func test_aClientThatAsksForSomethingElseIsTold() async throws {
        try await Host.serving(port: 3) { host in
            let answer = try await host.connect("everything").input.next()
            let text = answer.map { String(decoding: $0.readableBytesView, as: UTF8.self) }
            XCTAssertEqual(text, "write send, all, latest or sums\n")
        }
    }
}

/// The running service.
private struct Host: Sendable {
    typealias Ends = (output: MemoryPipe<ByteBuffer>, input: MemoryPipe<ByteBuffer>)

    let logger: Logger
    let telemetry: Telemetry

    /// Runs the service while something is done with it, and shuts it down.
    static func serving(port: Int, _ body: (Host) async throws -> Void) async throws {
        let logger = Logger(label: "telemetry")
        let host = Host(logger: logger, telemetry: Telemetry(port: port, logger: logger))
        let services = ServiceGroup(services: [host.telemetry])
        async let end: Void = services.run()
        try await body(host)
        await services.triggerGracefulShutdown()
        try await end
    }

    func connect(_ request: String) async throws -> Ends {
        var ends: Ends?
        while ends == nil {
            ends = try await Network.connect(port: telemetry.port)
            if ends == nil { try await Task.sleep(for: .milliseconds(1)) }
        }
        try await ends!.output.write(ByteBuffer(string: request + "\n"))
        return ends!
    }

    /// Sends measurements of 1 each.
    func send(_ count: Int) async throws {
        let client = try await connect("send")
        for number in 0..<count { try await client.output.write(ByteBuffer(string: "name\(number % 3) 1\n")) }
        client.output.close()
    }

    func stage(_ name: String) -> Flow.Stage? { telemetry.flow.snapshot.stages.first { $0.name == name } }

    /// The sum of what the service has logged, as in `info: ["name0": 3]`.
    var sumOfAllSeconds: Int {
        logger.lines.flatMap { $0.split { $0 == "," || $0 == "]" } }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    func wait(_ isTrue: () -> Bool) async throws {
        while !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
    }
}
