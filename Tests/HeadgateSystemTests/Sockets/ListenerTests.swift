import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class ListenerTests: XCTestCase {
    func test_reportsThePortThatTheSystemHasChosen() throws {
        let listener = Listener(port: 0)
        XCTAssertNil(listener.address)
        let address = try listener.bind()
        guard case .tcp("127.0.0.1", let port) = address else { return XCTFail("\(address)") }
        XCTAssertGreaterThan(port, 0)
        XCTAssertEqual(listener.address, address)
        XCTAssertEqual(try listener.bind(), address)
    }

    func test_publishesEveryClientWithTheAddressesOfBothSides() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            let (accepted, client) = try server.connect()
            XCTAssertEqual(accepted.localAddress, server.address)
            XCTAssertEqual(client.remoteAddress, server.address)
            XCTAssertEqual(accepted.remoteAddress, client.localAddress)
        }
    }

    func test_acceptsOnlyAsManyAsAreRequested() throws {
        let log = CallLog()
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0), calls: log.calls)
        let address = try listener.bind()
        let subscriber = TestSubscriber<Connection, SystemError>.checked()
        listener.subscribe(subscriber)
        let clients = (0..<5).map { _ in PlainClient(address) }
        XCTAssertEqual(log["accept"], 0)
        subscriber.request(.max(2))
        eventually { subscriber.values.count == 2 }
        XCTAssertEqual(log["accept"], 2)
        subscriber.request(.max(3))
        eventually { subscriber.values.count == 5 }
        XCTAssertEqual(log["accept"], 5)
        subscriber.cancel()
        withExtendedLifetime(clients) {}
    }

    func test_opensNothingBeforeTheFirstRequest() {
        let log = CallLog()
        let subscriber = TestSubscriber<Connection, SystemError>.checked()
        Listener(.tcp(host: "127.0.0.1", port: 0), calls: log.calls).subscribe(subscriber)
        XCTAssertEqual(log.names, [])
        subscriber.cancel()
        XCTAssertEqual(log.names, [])
    }

    func test_removesTheFileOfAUnixSocketAtTheEnd() throws {
        let server = try TestServer(.unix)
        _ = try server.connect()
        XCTAssertEqual(access(server.folder["socket"], F_OK), 0)
        server.subscriber.cancel()
        eventually("the file is gone") { access(server.folder["socket"], F_OK) != 0 }
    }

    func test_leavesTheFileThatSomebodyElseHasPutInItsPlace() throws {
        let folder = Folder()
        var listener: Listener? = Listener(path: folder["socket"])
        try listener?.bind()
        unlink(folder["socket"])
        folder.write("mine", to: "socket")
        listener = nil
        XCTAssertEqual(folder.read("socket"), "mine")
    }

    func test_replacesTheFileOfASocketOnWhichNobodyListensAndNoOther() throws {
        let folder = Folder()
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: folder["socket"].utf8) }
        _ = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(stale)
        XCTAssertThrowsError(try Listener(path: folder["socket"], reusesAddress: false).bind()) {
            XCTAssertEqual(
                $0 as? SystemError, SystemError(call: "bind", code: EADDRINUSE, subject: folder["socket"]))
        }
        let listener = Listener(path: folder["socket"])
        try listener.bind()
        XCTAssertThrowsError(try Listener(path: folder["socket"]).bind()) {
            XCTAssertEqual(($0 as? SystemError)?.code, EADDRINUSE)
        }
        folder.write("a file", to: "file")
        XCTAssertThrowsError(try Listener(path: folder["file"]).bind()) {
            XCTAssertEqual(($0 as? SystemError)?.code, EADDRINUSE)
        }
        XCTAssertEqual(folder.read("file"), "a file")
        withExtendedLifetime(listener) {}
    }

    func test_failsWithTheReasonWhereItCantListen() throws {
        let first = Listener(port: 0)
        let port = try XCTUnwrap(try first.bind().port)
        func failure(_ listener: Listener) -> SystemError? {
            let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
            listener.subscribe(subscriber)
            eventually { subscriber.completion != nil }
            return subscriber.failure
        }
        XCTAssertEqual(
            failure(Listener(port: port)), SystemError(call: "bind", code: EADDRINUSE, subject: "127.0.0.1:\(port)"))
        XCTAssertEqual(
            failure(Listener(port: 0, host: "192.0.2.1")),
            SystemError(call: "bind", code: EADDRNOTAVAIL, subject: "192.0.2.1:0"))
        XCTAssertEqual(failure(Listener(path: "/no/such/folder/socket"))?.code, ENOENT)
        XCTAssertEqual(failure(Listener(path: String(repeating: "x", count: 200)))?.code, ENAMETOOLONG)
        // There would be no room for the zero at its end.
        let folder = Folder()
        let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        let name = String(repeating: "x", count: room - folder[""].utf8.count)
        XCTAssertEqual(failure(Listener(path: folder[name]))?.code, ENAMETOOLONG)
        XCTAssertNoThrow(try Listener(path: folder[String(name.dropLast())]).bind())
        XCTAssertEqual(failure(Listener(path: ""))?.code, EINVAL)
        for port in [-1, 65_536, .min, .max] {
            XCTAssertEqual(
                failure(Listener(port: port)), SystemError(call: "bind", code: EINVAL, subject: "127.0.0.1:\(port)"))
        }
        withExtendedLifetime(first) {}
    }

    func test_failsWhenNoDescriptorIsLeftIfConfigured() throws {
        let log = CallLog { call, _ in call == "accept" ? .fail(EMFILE) : .proceed }
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0), whenOutOfDescriptors: .fail, calls: log.calls)
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        listener.subscribe(subscriber)
        eventually { subscriber.completion != nil }
        XCTAssertEqual(subscriber.failure?.call, "accept")
        XCTAssertEqual(subscriber.failure?.code, EMFILE)
    }

    func test_goesOnWhenNoDescriptorIsLeftUnlessConfiguredOtherwise() throws {
        // The call after the one that fails sends the client away with the reserve.
        let log = CallLog { call, number in call == "accept" && number == 0 ? .fail(EMFILE) : .proceed }
        let server = try TestServer(.tcp, calls: log.calls, accepts: false)
        // In the backlog before the first call, which would find nobody otherwise.
        let refused = PlainClient(server.address)
        server.listener.subscribe(server.subscriber)
        eventually { server.listener.refusedCount == 1 }
        XCTAssertEqual(refused.readAll(), "")
        _ = try server.connect()
        XCTAssertNil(server.subscriber.completion)
    }

    func test_goesOnThoughThereIsNoDescriptorToKeepInReserve() throws {
        let log = CallLog { call, _ in call == "open" ? .fail(EMFILE) : .proceed }
        let server = try TestServer(.tcp, calls: log.calls)
        _ = try server.connect()
        XCTAssertNil(server.subscriber.completion)
    }

    func test_aListenerIsNotDisturbedByAnotherThatWantsItsPath() throws {
        let server = try TestServer(.unix)
        eventually { server.subscriber.outstanding > .none }
        for _ in 0..<3 {
            XCTAssertThrowsError(try Listener(path: server.folder["socket"]).bind()) {
                XCTAssertEqual(($0 as? SystemError)?.code, EADDRINUSE)
            }
        }
        _ = try server.connect()
        XCTAssertEqual(server.subscriber.values.count, 1)
    }

    func test_sendsClientsAwayWhenNoDescriptorIsLeftIfConfiguredAndGoesOnAfterwards() throws {
        let shortage = Guarded(true)
        let log = CallLog { call, number in
            // Every second call is the one that sends a client away with the reserve.
            call == "accept" && number < 6 && number.isMultiple(of: 2) && shortage.withLock { $0 }
                ? .fail(EMFILE) : .proceed
        }
        let listener = Listener(
            .tcp(host: "127.0.0.1", port: 0), whenOutOfDescriptors: .refuse, calls: log.calls)
        let address = try listener.bind()
        let subscriber = TestSubscriber<Connection, SystemError>.checked()
        listener.subscribe(subscriber)
        let clients = (0..<3).map { _ in PlainClient(address) }
        subscriber.request(.unlimited)
        eventually { listener.refusedCount == 3 }
        XCTAssertEqual(clients.map { $0.readAll() }, ["", "", ""])
        let last = PlainClient(address)
        eventually { subscriber.values.count == 1 }
        XCTAssertNil(subscriber.completion)
        subscriber.cancel()
        withExtendedLifetime(last) {}
    }

    func test_waitsWithoutSpinningWhereNotEvenTheReserveIsLeftAndGoesOnAfterwards() throws {
        let shortage = Guarded(true)
        let log = CallLog { call, _ in
            call == "accept" && shortage.withLock { $0 } ? .fail(EMFILE) : .proceed
        }
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0), whenOutOfDescriptors: .refuse, calls: log.calls)
        let address = try listener.bind()
        let subscriber = TestSubscriber<Connection, SystemError>.checked()
        listener.subscribe(subscriber)
        let client = PlainClient(address)
        let start = ContinuousClock.now
        subscriber.request(.unlimited)
        eventually { log["accept"] >= 6 }
        let tries = log["accept"]
        // Two calls a try, and one try in ten milliseconds at most; the timer never goes off early.
        XCTAssertLessThanOrEqual(tries, 2 * (1 + Int((ContinuousClock.now - start) / .milliseconds(10))) + 2)
        XCTAssertNil(subscriber.completion)
        shortage.withLock { $0 = false }
        eventually { subscriber.values.count == 1 }
        XCTAssertEqual(listener.refusedCount, 0)
        subscriber.cancel()
        withExtendedLifetime(client) {}
    }

    func test_cancellingWhileItWaitsForADescriptorEndsTheTries() throws {
        let log = CallLog { call, _ in call == "accept" ? .fail(EMFILE) : .proceed }
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0), whenOutOfDescriptors: .refuse, calls: log.calls)
        let address = try listener.bind()
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        listener.subscribe(subscriber)
        let client = PlainClient(address)
        eventually { log["accept"] >= 4 }
        subscriber.cancel()
        // The listening socket goes with the subscription, and clients in its backlog are told.
        XCTAssertEqual(client.readAll(), "")
        let tries = log["accept"]
        // Another one that waits in the same way tries several times meanwhile.
        let otherLog = CallLog { call, _ in call == "accept" ? .fail(EMFILE) : .proceed }
        let other = Listener(.tcp(host: "127.0.0.1", port: 0), whenOutOfDescriptors: .refuse, calls: otherLog.calls)
        let otherClient = PlainClient(try other.bind())
        let otherSubscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        other.subscribe(otherSubscriber)
        eventually { otherLog["accept"] >= 10 }
        otherSubscriber.cancel()
        XCTAssertEqual(log["accept"], tries)
        withExtendedLifetime(otherClient) {}
    }

    func test_passesOverAClientThatHasGoneWhileItWaited() throws {
        let log = CallLog { call, number in
            guard call == "accept" else { return .proceed }
            return [.fail(EINTR), .fail(ECONNABORTED), .fail(EPROTO), .proceed, .fail(EAGAIN)][min(number, 4)]
        }
        let listener = Listener(.tcp(host: "127.0.0.1", port: 0), calls: log.calls)
        let address = try listener.bind()
        let client = PlainClient(address)
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.first(1))
        listener.subscribe(subscriber)
        eventually { subscriber.values.count == 1 }
        XCTAssertEqual(log["accept"], 4)
        subscriber.cancel()
        withExtendedLifetime(client) {}
    }

    func test_aClientThatIsResetBeforeItIsAcceptedDoesNotEndTheStream() throws {
        let server = try TestServer(.tcp)
        for _ in 0..<20 { PlainClient(server.address).reset() }
        _ = try server.connect()
        XCTAssertNil(server.subscriber.completion)
    }

    func test_aThousandConnectionsOpenedAndClosedLeaveNoDescriptor() throws {
        let count = Scale.reduced(10_000)
        for kind in Kind.allCases {
            let before = openDescriptorCount()
            do {
                let server = try TestServer(kind, accepts: false)
                let ends = Guarded(0)
                let echo = server.listener.sink(
                    receiveCompletion: { _ in },
                    receiveValue: { connection in
                        connection.bytes().write(to: connection) { _ in ends.withLock { $0 += 1 } }
                    })
                for number in 0..<count {
                    let client = PlainClient(server.address)
                    client.send("hello")
                    if number.isMultiple(of: 2) {
                        client.closeWriting()
                        XCTAssertEqual(client.readAll(), "hello")
                    }
                    client.close()
                }
                eventually("\(count) have ended") { ends.withLock { $0 } == count }
                echo.cancel()
            }
            eventually("every descriptor of \(kind) is closed") { openDescriptorCount() <= before + 4 }
        }
    }
}
