import Foundation
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// What is under way is so until it is written.
final class DrainedWritersTests: XCTestCase {
    private let clock = TestScheduler()
    private let signals = PassthroughSubject<Signal, Never>()

    private func makeShutdown() -> GracefulShutdown {
        GracefulShutdown(on: signals, deadline: .seconds(10), scheduler: clock)
    }

    func test_aSlowClientGetsEverythingBeforeItIsDrained() async throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let shutdown = makeShutdown()
            let end = End<Never>()
            (0..<20).publisher.map { _ in Bytes(block: 1 << 20) }
                .underWay(in: shutdown)
                .map { $0 }
                .write(to: server, bufferSize: 1 << 25, receiveEnd: end.notify)
            signals.send(.terminate)
            XCTAssertEqual(shutdown.underWayCount, 1)
            let reader = TestSubscriber<Int, SystemError>.checked()
            client.bytes().map(\.count).subscribe(reader)
            eventually("the client has everything") {
                reader.request(.max(8))
                return reader.completion != nil
            }
            XCTAssertTrue(reader.hasFinished)
            XCTAssertEqual(reader.values.reduce(0, +), 20 << 20)
            let ending = await shutdown.ending()
            XCTAssertEqual(ending, .drained)
            XCTAssertEqual(end.written, .finished(bytes: 20 << 20))
        }
    }

    func test_aPipeIsEmptiedBeforeItIsDrained() async throws {
        let pipe = try SystemCalls.live.pipe()
        let shutdown = makeShutdown()
        let end = End<Never>()
        let output = File(standardStream: pipe.writing.number, name: "standard output")
        (0..<1024).publisher.map { _ in Bytes(block: 1024) }
            .underWay(in: shutdown)
            .write(to: output, bufferSize: 1 << 21, receiveEnd: end.notify)
        signals.send(.terminate)
        XCTAssertEqual(shutdown.underWayCount, 1)
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 5000)
        eventually("everything is read") {
            while let more = try? buffer.withUnsafeMutableBytes({ try SystemCalls.live.read(pipe.reading, into: $0) }) {
                count += more
            }
            return count == 1 << 20
        }
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        XCTAssertEqual(end.written, .finished(bytes: 1 << 20))
    }

    func test_aFileIsCompleteBeforeItIsDrained() async {
        let folder = Folder()
        for _ in 0..<10 {
            let shutdown = makeShutdown()
            (0..<1024).publisher.map { _ in Bytes(block: 1024) }
                .underWay(in: shutdown)
                .write(to: File(folder["file"]), mode: .replace, bufferSize: 1 << 21, durability: .onDisk) { _ in }
            signals.send(.terminate)
            let ending = await shutdown.ending()
            XCTAssertEqual(ending, .drained)
            XCTAssertEqual(folder.read("file")?.utf8.count, 1 << 20)
            unlink(folder["file"])
        }
    }

    func test_theInputOfAProgramIsWrittenBeforeItIsDrained() async {
        let shutdown = makeShutdown()
        let subscriber = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
        Command(
            "sh", "-c", "sleep 0.2; wc -c",
            input: .publisher {
                (0..<1024).publisher.map { _ in Bytes(block: 1024) }.setFailureType(to: SystemError.self)
                    .underWay(in: shutdown)
            }
        )
        .run().subscribe(subscriber)
        eventually("the program runs") { shutdown.underWayCount == 1 }
        signals.send(.terminate)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values.first.map { String($0.output) }, "1048576\n")
    }

    func test_aWriterThatTheDeadlineCutsOffFailsAndResetsItsConnection() async throws {
        let (server, client) = try connectionPair(.tcp)
        let shutdown = makeShutdown()
        let end = End<Never>()
        Always(Bytes(block: 1 << 20)).prefix(20)
            .underWay(in: shutdown)
            .write(to: server, bufferSize: 1 << 25, receiveEnd: end.notify)
        signals.send(.terminate)
        clock.advance(by: 10)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .cutOff(remaining: 1))
        guard case .failed(let error, _)? = end.written else { return XCTFail("\(end.written as Any)") }
        XCTAssertEqual(error.code, ECANCELED)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        client.bytes().subscribe(reader)
        eventually { reader.completion != nil }
        XCTAssertEqual(reader.failure?.code, ECONNRESET)
    }

    func test_aFileThatTheDeadlineCutsOffKeepsItsOldContent() async {
        let folder = Folder()
        folder.write("old", to: "file")
        let shutdown = makeShutdown()
        let source = TestPublisher<Bytes, Never>()
        let end = End<Never>()
        source.underWay(in: shutdown).write(to: File(folder["file"]), mode: .replace, receiveEnd: end.notify)
        eventually { source.outstanding > .none }
        source.send("new")
        signals.send(.terminate)
        clock.advance(by: 10)
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .cutOff(remaining: 1))
        guard case .failed(let error, _)? = end.written else { return XCTFail("\(end.written as Any)") }
        XCTAssertEqual(error.code, ECANCELED)
        XCTAssertEqual(folder.read("file"), "old")
        // No temporary file is left either.
        XCTAssertEqual(try? FileManager.default.contentsOfDirectory(atPath: folder.path), ["file"])
    }

    func test_aWriterThatIsCancelledIsNotWaitedFor() async throws {
        let (server, _) = try connectionPair(.tcp)
        let shutdown = makeShutdown()
        let writing = Always(Bytes(block: 1 << 20)).underWay(in: shutdown).write(to: server) { _ in }
        signals.send(.terminate)
        writing.cancel()
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
    }

    func test_aWriterThatAStreamUnderWayStartsIsNotPartOfIt() {
        let shutdown = makeShutdown()
        let inner = TestPublisher<Bytes, Never>()
        let folder = Folder()
        let outer = Just(1).underWay(in: shutdown)
            .sink { _ in inner.write(to: File(folder["file"])) { _ in } }
        XCTAssertEqual(shutdown.underWayCount, 0)
        outer.cancel()
    }

    func test_itEndsWithoutASignalWhenEverythingHasEnded() async {
        let shutdown = makeShutdown()
        let folder = Folder()
        File(folder.write("one\ntwo\n", to: "input")).bytes()
            .stopped(by: shutdown.stop)
            .lines()
            .underWay(in: shutdown)
            .write(to: File(folder["output"]), terminator: "\n") { _ in }
        let ending = await shutdown.ending()
        XCTAssertEqual(ending, .drained)
        XCTAssertEqual(folder.read("output"), "one\ntwo\n")
        XCTAssertFalse(shutdown.stop.isOff)
    }

    func test_withoutASignalItWaitsForSourcesThatHaveNotBeenStopped() async {
        let shutdown = makeShutdown()
        let source = PassthroughSubject<Int, Never>()
        let serving = source.stopped(by: shutdown.stop).sink { _ in }
        let client = Just(1).underWay(in: shutdown).sink { _ in }
        let task = Task { await shutdown.ending() }
        // The client has ended, the source has not.
        XCTAssertEqual(shutdown.underWayCount, 0)
        source.send(completion: .finished)
        let ending = await task.value
        XCTAssertEqual(ending, .drained)
        withExtendedLifetime((serving, client)) {}
    }
}
