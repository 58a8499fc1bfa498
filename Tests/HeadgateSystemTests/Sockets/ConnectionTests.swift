import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class ConnectionTests: XCTestCase {
    func test_whatOneSideWritesTheOtherReads() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let end = End<Never>()
            ["one ", "two ", "three"].publisher.map { Bytes($0) }.write(to: client, receiveEnd: end.notify)
            let subscriber = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            server.bytes().subscribe(subscriber)
            eventually { subscriber.hasFinished }
            XCTAssertEqual(subscriber.text, "one two three")
            XCTAssertEqual(end.wait(), .finished(bytes: 13))
        }
    }

    func test_echoesAMebibyteAndEndsWhenTheClientDoes() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let echoed = End<SystemError>()
            server.bytes().write(to: server, receiveEnd: echoed.notify)
            let chunks = 64
            let sent = End<Never>()
            (0..<chunks).publisher.map { _ in Bytes(block: 1 << 14) }
                .write(to: client, receiveEnd: sent.notify)
            let subscriber = TestSubscriber<Int, SystemError>.checked(.unlimited)
            client.bytes().map(\.count).reduce(0, +).subscribe(subscriber)
            eventually { subscriber.hasFinished }
            XCTAssertEqual(subscriber.values, [1 << 20])
            XCTAssertEqual(echoed.wait(), .finished(bytes: 1 << 20))
            XCTAssertEqual(sent.wait(), .finished(bytes: 1 << 20))
        }
    }

    func test_publishesLinesAndFrames() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            func texts(_ text: String, _ connect: (Connection) -> any Publisher<String, SystemError>) throws -> [String]
            {
                let client = PlainClient(server.address)
                let before = server.subscriber.values.count
                eventually { server.subscriber.values.count > before - 1 && server.subscriber.values.count > 0 }
                client.send(text)
                client.closeWriting()
                var connection: Connection?
                eventually {
                    let connections = server.subscriber.values
                    connection = connections.last
                    return connections.count == accepted + 1
                }
                accepted += 1
                let subscriber = TestSubscriber<String, SystemError>.checked(.unlimited)
                connect(try XCTUnwrap(connection)).subscribe(subscriber)
                eventually { subscriber.completion != nil }
                XCTAssertTrue(subscriber.hasFinished)
                return subscriber.values
            }
            var accepted = 0
            XCTAssertEqual(try texts("a\r\nb\nc") { $0.lines() }, ["a", "b", "c"])
            XCTAssertEqual(try texts("a\nb") { $0.byteLines().map { String($0) } }, ["a", "b"])
            XCTAssertEqual(try texts("\u{1}a\u{2}bc") { $0.frames(lengthBytes: 1).map { String($0) } }, ["a", "bc"])
            XCTAssertEqual(try texts("a;b;") { $0.frames(delimitedBy: ";").map { String($0) } }, ["a", "b"])
        }
    }

    func test_halfClosingLeavesTheOtherDirectionOpen() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            try client.closeWriting()
            try client.closeWriting()
            let atServer = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            server.bytes().subscribe(atServer)
            eventually { atServer.hasFinished }
            XCTAssertEqual(atServer.values, [])
            let end = End<Never>()
            Just(Bytes("still here")).write(to: server, receiveEnd: end.notify)
            let atClient = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            client.bytes().subscribe(atClient)
            eventually { atClient.hasFinished }
            XCTAssertEqual(atClient.text, "still here")
            XCTAssertEqual(end.wait(), .finished(bytes: 10))
        }
    }

    func test_aResetFromTheOtherSideIsATypedFailureForReaderAndWriter() throws {
        let server = try TestServer(.tcp)
        let client = PlainClient(server.address)
        eventually { server.subscriber.values.count == 1 }
        let connection = server.subscriber.values[0]
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        connection.bytes().subscribe(reader)
        let writer = End<Never>()
        let made = Guarded(0)
        Always(Bytes(block: 1 << 16))
            .handleEvents(receiveOutput: { _ in made.withLock { $0 += 1 } })
            .write(to: connection, receiveEnd: writer.notify)
        eventually("it writes") { made.withLock { $0 } > 0 }
        client.reset()
        eventually { reader.completion != nil }
        XCTAssertEqual(reader.failure?.code, ECONNRESET)
        XCTAssertEqual(reader.failure?.subject, "\(connection.remoteAddress)")
        // The second subscriber learns that the connection is closed.
        switch writer.wait() {
        case .failed(let error, _): XCTAssertEqual(error.code, ECONNRESET)
        case .readerClosed: break
        default: XCTFail("\(String(describing: writer.written))")
        }
    }

    func test_resettingFailsBothDirectionsOfThisSideAndReportsTheOther() throws {
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind)
            let here = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            server.bytes().subscribe(here)
            let there = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            client.bytes().subscribe(there)
            let writer = End<Never>()
            Always(Bytes(block: 1 << 16)).write(to: client, receiveEnd: writer.notify)
            let upstream = TestPublisher<Bytes, Never>()
            let idle = End<Never>()
            upstream.write(to: server, receiveEnd: idle.notify)
            eventually("both directions are in use") { upstream.outstanding > .none }
            server.reset()
            eventually("this side hears of it") { here.completion != nil }
            XCTAssertEqual(here.failure?.code, ECONNRESET)
            eventually("the other side hears of it") { there.completion != nil }
            if kind == .tcp { XCTAssertEqual(there.failure?.code, ECONNRESET) }
            XCTAssertEqual(writer.wait()?.isComplete, false)
            upstream.send("late")
            XCTAssertEqual(
                idle.wait(),
                .failed(SystemError(call: "send", code: ECONNRESET, subject: "\(server)"), bytes: 0))
        }
    }

    func test_aClientThatSendsHalfALineOrNothingIsReceivedToEnd() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            for text in ["", "half a line", "\u{0}\u{1}garbage\u{FFFF}\n\n\n"] {
                let before = server.subscriber.values.count
                let client = PlainClient(server.address)
                client.send(text)
                client.close()
                eventually { server.subscriber.values.count > before }
                let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
                server.subscriber.values[before].lines().subscribe(lines)
                eventually { lines.completion != nil }
                XCTAssertTrue(lines.hasFinished)
                var expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                if expected.last == "" { expected.removeLast() }
                XCTAssertEqual(lines.values, expected)
            }
        }
    }

    func test_aLineWithoutEndFailsAtItsLimitAndNotWhenMemoryIsFull() throws {
        let (server, client) = try connectionPair(.tcp)
        let writing = Always(Bytes(block: 1 << 14)).write(to: client) { _ in }
        let lines = TestSubscriber<String, SystemError>.checked(.unlimited)
        server.lines(maximumLength: 1 << 16).subscribe(lines)
        eventually { lines.completion != nil }
        XCTAssertEqual(lines.failure?.code, EMSGSIZE)
        writing.cancel()
    }

    func test_aReaderThatRequestsNothingStopsTheOtherSide() throws {
        for kind in Kind.allCases {
            let log = CallLog()
            let (server, client) = try connectionPair(kind, calls: log.calls)
            let reader = TestSubscriber<Bytes, SystemError>.checked()
            server.bytes(chunkSize: 1 << 12).subscribe(reader)
            let made = Guarded(0)
            let writing = Always(Bytes(block: 1 << 16))
                .handleEvents(receiveOutput: { _ in made.withLock { $0 += 1 } })
                .write(to: client) { _ in }
            standsStill("the writer") { made.withLock { $0 } }
            XCTAssertEqual(log["recv"], 0)
            XCTAssertLessThan(made.withLock { $0 }, 1 << 10)
            reader.request(.max(3))
            eventually { reader.values.count == 3 }
            XCTAssertEqual(log["recv"], 3)
            writing.cancel()
            reader.cancel()
        }
    }

    func test_goesOnWhenTheReaderRequestsAgain() throws {
        for kind in Kind.allCases {
            let log = CallLog()
            let (server, client) = try connectionPair(kind, calls: log.calls)
            let total = 1 << 23
            (0..<(total >> 16)).publisher.map { _ in Bytes(block: 1 << 16) }.write(to: client) { _ in }
            let reader = TestSubscriber<Bytes, SystemError>.checked()
            server.bytes().subscribe(reader)
            standsStill("the writer") { log["send"] }
            var seen = 0
            eventually("everything has come") {
                reader.request(.max(16))
                seen = reader.values.reduce(0) { $0 + $1.count }
                return reader.hasFinished
            }
            XCTAssertEqual(reader.values.reduce(0) { $0 + $1.count }, total)
            XCTAssertGreaterThan(seen, 0)
        }
    }

    func test_eachDirectionHasOneUserAtATimeAndNoneAfterItsEnd() throws {
        let (server, client) = try connectionPair(.tcp)
        let first = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(first)
        // Hops onto the connection's queue after the first has taken the direction.
        let second = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(second)
        eventually { second.completion != nil }
        XCTAssertEqual(second.failure, SystemError(call: "recv", code: EBUSY, subject: "\(server)"))
        let subject = PassthroughSubject<Bytes, Never>()
        subject.write(to: client) { _ in }
        let other = End<Never>()
        Just(Bytes("x")).write(to: client, receiveEnd: other.notify)
        XCTAssertEqual(
            other.wait(), .failed(SystemError(call: "send", code: EBUSY, subject: "\(client)"), bytes: 0))
        XCTAssertThrowsError(try client.closeWriting()) { XCTAssertEqual(($0 as? SystemError)?.code, EBUSY) }
        subject.send(completion: .finished)
        eventually { first.hasFinished }
        let third = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(third)
        eventually { third.completion != nil }
        XCTAssertEqual(third.failure?.code, ENOTCONN)
        let late = End<Never>()
        Just(Bytes("x")).write(to: client, receiveEnd: late.notify)
        XCTAssertEqual(
            late.wait(), .failed(SystemError(call: "send", code: ENOTCONN, subject: "\(client)"), bytes: 0))
    }

    func test_anotherReaderGoesOnAfterCancel() throws {
        let (server, client) = try connectionPair(.unix)
        let subject = PassthroughSubject<Bytes, Never>()
        subject.write(to: client) { _ in }
        let first = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(first)
        eventually {
            if first.values.isEmpty { subject.send("x") }
            return !first.values.isEmpty
        }
        first.cancel()
        var second = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(second)
        eventually("the direction is given back") {
            if second.failure?.code == EBUSY {
                second = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
                server.bytes().subscribe(second)
            }
            subject.send("second")
            return second.text.hasSuffix("second")
        }
        subject.send(completion: .finished)
        eventually { second.hasFinished }
    }

    func test_severalStreamsAreWrittenOneAfterTheOtherIfTheConnectionIsKeptOpen() throws {
        let (server, client) = try connectionPair(.tcp)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(reader)
        for text in ["a", "b"] {
            let end = End<Never>()
            Just(Bytes(text)).write(to: client, keepsOpen: true, receiveEnd: end.notify)
            XCTAssertEqual(end.wait(), .finished(bytes: 1))
        }
        let end = End<Never>()
        Just("c").write(to: client, terminator: "\n", receiveEnd: end.notify)
        eventually { reader.hasFinished }
        XCTAssertEqual(reader.text, "abc\n")
    }

    func test_anUpstreamThatFailsAndAWriterThatIsCancelledResetTheConnection() throws {
        for isCancelled in [true, false] {
            let (server, client) = try connectionPair(.tcp)
            let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            server.bytes().subscribe(reader)
            let subject = PassthroughSubject<Bytes, TestFailure>()
            let end = End<TestFailure>()
            let writing = subject.write(to: client, receiveEnd: end.notify)
            eventually {
                if reader.values.isEmpty { subject.send("x") }
                return !reader.values.isEmpty
            }
            if isCancelled { writing.cancel() } else { subject.send(completion: .failure(.first)) }
            eventually { reader.completion != nil }
            XCTAssertEqual(reader.failure?.code, ECONNRESET)
            if !isCancelled {
                guard case .upstreamFailed(.first, _) = end.wait() else { return XCTFail("\(end)") }
            }
        }
    }

    func test_aWriterFindsThatTheOtherSideIsGoneWithoutASignal() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            let client = PlainClient(server.address)
            eventually { server.subscriber.values.count == 1 }
            let end = End<Never>()
            client.close()
            Always(Bytes(block: 1 << 12)).write(to: server.subscriber.values[0], receiveEnd: end.notify)
            switch end.wait() {
            case .readerClosed: break
            case .failed(let error, _): XCTAssertEqual(error.code, ECONNRESET)
            default: XCTFail("\(String(describing: end.written))")
            }
        }
    }

    func test_whatTheOtherSideSentBeforeItLeftIsReadThoughWritingFails() throws {
        let server = try TestServer(.unix)
        let client = PlainClient(server.address)
        client.send("request")
        client.close()
        eventually { server.subscriber.values.count == 1 }
        let end = End<Never>()
        Always(Bytes("answer")).write(to: server.subscriber.values[0], receiveEnd: end.notify)
        XCTAssertEqual(end.wait(), .readerClosed(bytes: 0))
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.subscriber.values[0].bytes().subscribe(reader)
        eventually { reader.completion != nil }
        XCTAssertEqual(reader.text, "request")
    }

    func test_partialInterruptedAndPostponedCallsAreContinued() throws {
        let log = CallLog { call, number in
            switch call {
            case "send": [.fail(EINTR), .limit(3), .fail(EAGAIN), .limit(1), .proceed][number % 5]
            case "recv": [.fail(EINTR), .limit(2), .fail(EAGAIN), .proceed][number % 4]
            case "shutdown", "connect", "socket", "accept", "getsockname", "setsockopt", "bind", "listen",
                "getaddrinfo",
                "getpeername", "getsockopt":
                number == 0 ? .fail(EINTR) : .proceed
            default: .proceed
            }
        }
        for kind in Kind.allCases {
            let (server, client) = try connectionPair(kind, calls: log.calls)
            let text = String(repeating: "abcdefghij", count: 20)
            let end = End<Never>()
            Just(Bytes(text)).write(to: client, receiveEnd: end.notify)
            let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
            server.bytes().subscribe(reader)
            eventually { reader.hasFinished }
            XCTAssertEqual(reader.text, text)
            XCTAssertEqual(end.wait(), .finished(bytes: 200))
        }
    }

    func test_failuresOfCallsAreTypedAndDelivered() throws {
        let log = CallLog { call, _ in
            switch call {
            case "recv": .fail(EIO)
            case "send": .fail(ENOBUFS)
            default: .proceed
            }
        }
        let (server, client) = try connectionPair(.tcp, calls: log.calls)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.bytes().subscribe(reader)
        eventually { reader.completion != nil }
        XCTAssertEqual(reader.failure, SystemError(call: "recv", code: EIO, subject: "\(server)"))
        let end = End<Never>()
        Just(Bytes("x")).write(to: client, receiveEnd: end.notify)
        XCTAssertEqual(
            end.wait(), .failed(SystemError(call: "send", code: ENOBUFS, subject: "\(client)"), bytes: 0))
    }

    func test_optionsReachTheSystem() throws {
        let log = CallLog()
        let server = try TestServer(
            .tcp,
            options: SocketOptions(
                noDelay: false, keepAlive: KeepAlive(idle: 5, interval: 2, probes: 3), sendBufferSize: 1 << 14,
                receiveBufferSize: 1 << 14), calls: log.calls)
        let before = log["setsockopt"]
        let (accepted, client) = try server.connect()
        XCTAssertEqual(log["setsockopt"] - before, 8)
        try client.apply(SocketOptions(keepAlive: KeepAlive()))
        try accepted.apply(SocketOptions())
        let unix = try TestServer(.unix, options: SocketOptions(keepAlive: KeepAlive()))
        _ = try unix.connect()
    }

    func test_theDescriptorIsClosedWhenBothDirectionsHaveEndedThoughTheConnectionIsHeld() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            let plain = PlainClient(server.address)
            eventually { server.subscriber.values.count == 1 }
            let connection = server.subscriber.values[0]
            let open = openDescriptorCount()
            let end = End<SystemError>()
            connection.bytes().write(to: connection, receiveEnd: end.notify)
            plain.closeWriting()
            XCTAssertEqual(end.wait(), .finished(bytes: 0))
            eventually("its descriptor is closed") { openDescriptorCount() < open }
            XCTAssertThrowsError(try connection.apply(SocketOptions())) {
                XCTAssertEqual(($0 as? SystemError)?.code, ENOTCONN)
            }
            XCTAssertEqual(plain.readAll(), "")
        }
    }

    func test_cancellingAtEveryPointClosesEverything() throws {
        let before = openDescriptorCount()
        for kind in Kind.allCases {
            for values in 0..<4 {
                let server = try TestServer(kind)
                let client = PlainClient(server.address)
                eventually { server.subscriber.values.count == 1 }
                let connection = server.subscriber.values[0]
                for _ in 0..<3 { client.send("text") }
                let reader = TestSubscriber<Bytes, SystemError>.checked(.first(values))
                connection.bytes(chunkSize: 4).subscribe(reader)
                let writing = Always(Bytes(block: 1 << 16)).write(to: connection, receiveEnd: { _ in })
                eventually { reader.values.count == min(values, 3) }
                reader.cancel()
                writing.cancel()
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }

    func test_awaitsTheEndOfAWritingAndEndsItWithTheTask() async throws {
        let (server, client) = try connectionPair(.tcp)
        let result = await Just("hello").write(to: client, terminator: "\n")
        XCTAssertEqual(result, .finished(bytes: 6))
        let task = Task { await PassthroughSubject<Bytes, Never>().write(to: server) }
        task.cancel()
        let cancelled = await task.value
        XCTAssertNil(cancelled)
        let (_, other) = try connectionPair(.tcp)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await PassthroughSubject<Bytes, Never>().write(to: other)
        }
        late.cancel()
        let cancelledBefore = await late.value
        XCTAssertNil(cancelledBefore)
    }

    func test_idleConnectionsTakeLittleMemory() throws {
        let log = CallLog()
        let server = try TestServer(.unix, calls: log.calls)
        let count = 300
        var readers: [TestSubscriber<String, SystemError>] = []
        var clients: [PlainClient] = []
        func resident() -> Int {
            var pages = (0, 0)
            if let file = fopen("/proc/self/statm", "r") {
                withUnsafeMutablePointer(to: &pages.0) { first in
                    withUnsafeMutablePointer(to: &pages.1) { second in
                        _ = withVaList([first, second]) { vfscanf(file, "%ld %ld", $0) }
                    }
                }
                fclose(file)
            }
            return pages.1 * 4096
        }
        func open(_ count: Int) {
            let goal = clients.count + count
            for _ in 0..<count { clients.append(PlainClient(server.address)) }
            eventually { server.subscriber.values.count == goal }
            for connection in server.subscriber.values[(goal - count)...] {
                let reader = TestSubscriber<String, SystemError>.checked(.unlimited)
                connection.lines().subscribe(reader)
                readers.append(reader)
            }
            eventually("all wait for bytes") { log["recv"] >= goal }
        }
        open(100)
        let before = resident()
        open(count)
        // Instrumented builds and the test's own records take some; without a bound a chunk each would be 64 KiB.
        XCTAssertLessThan((resident() - before) / count, 48 << 10)
        readers.forEach { $0.cancel() }
    }
}
