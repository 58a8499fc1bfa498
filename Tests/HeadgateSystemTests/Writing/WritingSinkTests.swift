import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class WritingSinkTests: XCTestCase {
    private func sink(
        _ descriptor: Descriptor, bufferSize: Int = 1 << 16, calls: SystemCalls = .live,
        onEnd: @escaping (Written<Never>) -> Void = { _ in }
    ) -> WritingSink<Never> {
        WritingSink(
            on: .sharing("test"), bufferSize: bufferSize,
            open: { () throws(SystemError) in DescriptorDestination(descriptor, calls: calls) }, onEnd: onEnd)
    }

    private func readAll(_ end: Descriptor) throws -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try buffer.withUnsafeMutableBytes({ try SystemCalls.live.read(end, into: $0) }), count > 0 {
            all += buffer[..<count]
        }
        return all
    }

    func test_writesEverythingInOrderAndReportsHowMuch() throws {
        let pipe = try SystemCalls.live.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing) { result in end.withLock { $0 = result } }
        ["one ", "two ", "three"].publisher.map { Bytes($0) }.subscribe(sink)
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .finished(bytes: 13))
        XCTAssertEqual(String(decoding: try readAll(pipe.reading), as: UTF8.self), "one two three")
    }

    func test_requestsNothingWhileThereIsNoRoomAndLosesNothing() throws {
        let pipe = try SystemCalls.live.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let chunks = 20
        let requested = Guarded(0)
        let sink = sink(pipe.writing) { result in end.withLock { $0 = result } }
        (0..<chunks).publisher
            .map { number in
                requested.withLock { $0 += 1 }
                return Bytes(repeatElement(UInt8(number), count: 30_000))
            }
            .subscribe(sink)
        eventually("there is no room") { isFull(pipe.writing) }
        var all: [UInt8] = []
        eventually {
            // The pipe takes 64 KiB and the window as much again.
            XCTAssertLessThan(requested.withLock { $0 }, all.count / 30_000 + 8)
            all += (try? readAll(pipe.reading)) ?? []
            return all.count == chunks * 30_000
        }
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .finished(bytes: chunks * 30_000))
        XCTAssertEqual(all, (0..<chunks).flatMap { repeatElement(UInt8($0), count: 30_000) })
    }

    func test_aPipeWithoutReaderEndsItWithoutASignal() throws {
        let pipe = try SystemCalls.live.pipe()
        try pipe.reading.close()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing) { result in end.withLock { $0 = result } }
        let upstream = TestPublisher<Bytes, Never>()
        upstream.subscribe(sink)
        eventually { upstream.outstanding > .none }
        upstream.send("text")
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .readerClosed(bytes: 0))
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_partialAndInterruptedWritesAreContinued() throws {
        let log = CallLog { call, number in
            if call != "write" { return .proceed }
            return number.isMultiple(of: 2) ? .fail(EINTR) : .limit(3)
        }
        let pipe = try log.calls.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing, calls: log.calls) { result in end.withLock { $0 = result } }
        ["abcdefgh", "ijk"].publisher.map { Bytes($0) }.subscribe(sink)
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .finished(bytes: 11))
        XCTAssertEqual(String(decoding: try readAll(pipe.reading), as: UTF8.self), "abcdefghijk")
    }

    func test_aFailureNamesTheBytesWritten() throws {
        let log = CallLog { call, number in call == "write" ? number == 0 ? .limit(3) : .fail(ENOSPC) : .proceed }
        let pipe = try log.calls.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing, calls: log.calls) { result in end.withLock { $0 = result } }
        ["abcdefgh"].publisher.map { Bytes($0) }.subscribe(sink)
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(
            end.withLock { $0 }, .failed(SystemError(call: "write", code: ENOSPC, subject: "pipe"), bytes: 3))
    }

    func test_cancelReleasesTheDescriptorWhileThereIsNoRoom() throws {
        let before = openDescriptorCount()
        for _ in 0..<20 {
            let pipe = try SystemCalls.live.pipe()
            let sink = sink(pipe.writing)
            Always(Bytes(repeatElement(1, count: 1 << 17))).subscribe(sink)
            eventually("there is no room") { isFull(pipe.writing) }
            sink.cancel()
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 2 }
    }

    func test_aValueThatComesAloneIsWrittenByTheThreadThatDeliversIt() throws {
        let here = pthread_self()
        let wasHere = Guarded(false)
        let log = CallLog { call, _ in
            if call == "write", pthread_self() == here { wasHere.withLock { $0 = true } }
            return .limit(3)
        }
        let pipe = try SystemCalls.live.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing, calls: log.calls) { result in end.withLock { $0 = result } }
        let upstream = TestPublisher<Bytes, Never>()
        upstream.subscribe(sink)
        var sent = ""
        eventually("its queue is idle") {
            if upstream.outstanding == .none { return false }
            upstream.send("abcdefgh")
            sent += "abcdefgh"
            return wasHere.withLock { $0 }
        }
        upstream.send(completion: .finished)
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .finished(bytes: sent.utf8.count))
        XCTAssertEqual(String(decoding: try readAll(pipe.reading), as: UTF8.self), sent)
    }

    func test_demandForAValueThatComesAloneIsReturnedAtOnce() throws {
        let here = pthread_self()
        let wasHere = Guarded(false)
        let log = CallLog { call, _ in
            if call == "write", pthread_self() == here { wasHere.withLock { $0 = true } }
            return .proceed
        }
        let pipe = try SystemCalls.live.pipe()
        let sink = sink(pipe.writing, calls: log.calls)
        let upstream = TestPublisher<Bytes, Never>()
        upstream.subscribe(sink)
        eventually("its queue is idle") {
            let before = upstream.outstanding
            if before == .none { return false }
            upstream.send("abcdefgh")
            if !wasHere.withLock({ $0 }) { return false }
            XCTAssertGreaterThanOrEqual(upstream.outstanding, before)
            return true
        }
        sink.cancel()
    }

    func test_aFailureOfAValueThatComesAloneEndsItOnTheQueue() throws {
        let here = pthread_self()
        let log = CallLog { call, _ in
            call == "write" && pthread_self() == here ? .fail(ENOSPC) : .proceed
        }
        let pipe = try SystemCalls.live.pipe()
        let end = Guarded<(Written<Never>, pthread_t)?>(nil)
        let sink = sink(pipe.writing, calls: log.calls) { result in end.withLock { $0 = (result, pthread_self()) } }
        let upstream = TestPublisher<Bytes, Never>()
        upstream.subscribe(sink)
        eventually {
            if end.withLock({ $0 }) != nil { return true }
            if upstream.outstanding > .none { upstream.send("text") }
            return false
        }
        let (result, thread) = try XCTUnwrap(end.withLock { $0 })
        XCTAssertEqual(
            result, .failed(SystemError(call: "write", code: ENOSPC, subject: "pipe"), bytes: result.bytes))
        XCTAssertNotEqual(thread, here)
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_valuesThatComeTogetherAreWrittenTogether() throws {
        let log = CallLog()
        let pipe = try SystemCalls.live.pipe()
        let end = Guarded<Written<Never>?>(nil)
        let sink = sink(pipe.writing, calls: log.calls) { result in end.withLock { $0 = result } }
        let upstream = TestPublisher<Bytes, Never>()
        upstream.subscribe(sink)
        eventually { upstream.outstanding > .none }
        upstream.send("a")
        eventually { upstream.outstanding >= .max(1000) }
        for _ in 0..<1000 { upstream.send("a") }
        upstream.send(completion: .finished)
        eventually { end.withLock { $0 } != nil }
        XCTAssertEqual(end.withLock { $0 }, .finished(bytes: 1001))
        XCTAssertLessThan(log["write"], 1001)
    }
}
