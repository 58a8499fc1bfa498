import Glibc
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class PollingConduitTests: XCTestCase {
    private func publisher(
        of end: Descriptor, _ calls: SystemCalls = .live, chunkSize: Int = 16
    ) -> PollingPublisher<DescriptorSource> {
        PollingPublisher(name: "pipe", on: { .sharing("test") }) { () throws(SystemError) in
            DescriptorSource(end, kind: .nonBlocking, chunkSize: chunkSize, calls: calls)
        }
    }

    func test_readsNothingThatWasNotRequested() throws {
        let log = CallLog()
        let pipe = try log.calls.pipe()
        let subscriber = TestSubscriber<Bytes, SystemError>.checked()
        publisher(of: pipe.reading, log.calls, chunkSize: 4).subscribe(subscriber)
        _ = try "abcdefgh".utf8.withContiguousStorageIfAvailable {
            try SystemCalls.live.write(pipe.writing, UnsafeRawBufferPointer($0))
        }
        XCTAssertEqual(log["read"], 0)
        subscriber.request(.max(1))
        eventually { subscriber.values.count == 1 }
        XCTAssertEqual(subscriber.values, ["abcd"])
        XCTAssertEqual(log["read"], 1)
        subscriber.cancel()
        var rest = [UInt8](repeating: 0, count: 8)
        XCTAssertEqual(try rest.withUnsafeMutableBytes { try SystemCalls.live.read(pipe.reading, into: $0) }, 4)
    }

    func test_waitsForASilentPipeAndFinishesWhenTheWriterCloses() throws {
        let pipe = try SystemCalls.live.pipe()
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        publisher(of: pipe.reading).subscribe(subscriber)
        for text in ["one", "two"] {
            let count = subscriber.values.count
            var text = text
            _ = try text.withUTF8 { try SystemCalls.live.write(pipe.writing, UnsafeRawBufferPointer($0)) }
            eventually { subscriber.values.count > count }
        }
        try pipe.writing.close()
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, ["one", "two"])
    }

    func test_closesTheDescriptorWhenCancelledWhileItWaits() throws {
        let before = openDescriptorCount()
        for _ in 0..<50 {
            let pipe = try SystemCalls.live.pipe()
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            publisher(of: pipe.reading).subscribe(subscriber)
            subscriber.cancel()
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 2 }
    }

    func test_readsAgainWhereASignalInterrupts() throws {
        let log = CallLog { call, number in call == "read" && number < 3 ? .fail(EINTR) : .proceed }
        let pipe = try log.calls.pipe()
        try pipe.writing.close()
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        publisher(of: pipe.reading, log.calls).subscribe(subscriber)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(log["read"], 4)
    }

    func test_failsWithTheCallAndItsCode() throws {
        let log = CallLog { call, _ in call == "read" ? .fail(EIO) : .proceed }
        let pipe = try log.calls.pipe()
        let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        publisher(of: pipe.reading, log.calls).subscribe(subscriber)
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.failure, SystemError(call: "read", code: EIO, subject: "pipe"))
    }
}
