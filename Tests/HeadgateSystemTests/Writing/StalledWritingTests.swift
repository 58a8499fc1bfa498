import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Writers whose reader takes nothing.
final class StalledWritingTests: XCTestCase {
    private let failure = SystemError(call: "test", code: EIO)

    func test_aFailureIsActedOnThoughTheOtherSideReadsNothing() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let source = TestPublisher<Bytes, SystemError>()
            let end = End<SystemError>()
            source.write(to: server, receiveEnd: end.notify)
            fill(source)
            source.send(completion: .failure(failure))
            guard case .upstreamFailed(failure, let bytes)? = end.wait() else {
                return XCTFail("\(end.written as Any)")
            }
            XCTAssertGreaterThan(bytes, 0)
            let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            client.bytes().subscribe(reader)
            eventually { reader.completion != nil }
            // A Unix socket knows no reset.
            if kind == .tcp { XCTAssertEqual(reader.failure?.code, ECONNRESET) }
        }
    }

    func test_aFailureDiscardsAFileThatWasToBeReplacedAndKeepsWhatWasWrittenToOthers() throws {
        let folder = Folder()
        folder.write("old", to: "file")
        let end = End<SystemError>()
        let stream = Just(Bytes("new")).setFailureType(to: SystemError.self).append(Fail(error: failure))
        stream.write(to: File(folder["file"]), mode: .replace, receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .upstreamFailed(failure, bytes: 3))
        XCTAssertEqual(folder.read("file"), "old")
        let second = End<SystemError>()
        stream.write(to: File(folder["file"]), mode: .append, receiveEnd: second.notify)
        XCTAssertEqual(second.wait(), .upstreamFailed(failure, bytes: 3))
        XCTAssertEqual(folder.read("file"), "oldnew")
    }

    func test_aPipeThatNobodyReadsDoesNotDelayAFailure() throws {
        let pipe = try SystemCalls.live.pipe()
        let source = TestPublisher<Bytes, SystemError>()
        let end = End<SystemError>()
        let sink = WritingSink<SystemError>(
            on: .sharing("test"), bufferSize: 1 << 16,
            open: { () throws(SystemError) in DescriptorDestination(pipe.writing) }, onEnd: end.notify)
        source.subscribe(sink)
        fill(source)
        source.send(completion: .failure(failure))
        guard case .upstreamFailed(failure, let bytes)? = end.wait() else { return XCTFail("\(end.written as Any)") }
        XCTAssertEqual(bytes, 1 << 16)
    }

    func test_aStallEndsAtItsLimitAndProgressPutsItOff() throws {
        let clock = TestScheduler()
        let (server, client) = try connectionPair(.tcp)
        let source = TestPublisher<Bytes, Never>()
        let end = End<Never>()
        source.write(
            to: server, stallLimit: StallLimit(.seconds(8), scheduler: clock), receiveEnd: end.notify)
        fill(source)
        eventually("the writer watches the time") { clock.scheduledCount > 0 }
        clock.advance(by: 6)
        // Each chunk that is read lets something be written.
        let reader = TestSubscriber<Bytes, SystemError>.checked()
        client.bytes(chunkSize: 1 << 20).subscribe(reader)
        let before = source.outstanding
        eventually("something is written") {
            reader.request(.max(1))
            return source.outstanding != before
        }
        fill(source)
        clock.advance(by: 4)
        XCTAssertNil(end.written)
        eventually("the limit is reached") {
            clock.advance(by: 2)
            return end.written != nil
        }
        guard case .failed(let error, _)? = end.written else { return XCTFail("\(end.written as Any)") }
        XCTAssertEqual(error.code, ETIMEDOUT)
        reader.cancel()
    }

    func test_aWriterThatIsNeverStalledSetsNoLimit() throws {
        let clock = TestScheduler()
        let folder = Folder()
        let end = End<Never>()
        Just(Bytes("text")).write(
            to: File(folder["file"]), stallLimit: StallLimit(.seconds(1), scheduler: clock), receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .finished(bytes: 4))
        XCTAssertEqual(clock.scheduledCount, 0)
    }

    func test_theResultOfAWriteMayCrossThreads() {
        func crosses(_ value: some Sendable) {}
        let folder = Folder()
        crosses(Just(Bytes("text")).write(to: File(folder["file"])) { _ in })
    }

    /// Sends until nothing more is requested, because there is no room.
    private func fill<Failure: Error>(_ source: TestPublisher<Bytes, Failure>) {
        var quiet = 0
        eventually("there is no room left") {
            if source.outstanding > .none {
                quiet = 0
                while source.outstanding > .none { source.send(Bytes(block: 1 << 18)) }
            }
            quiet += 1
            return quiet > 20
        }
    }
}
