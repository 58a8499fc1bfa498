import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class ConnectingTests: XCTestCase {
    private func failure(of publisher: some Publisher<Connection, SystemError>) -> SystemError? {
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        publisher.subscribe(subscriber)
        eventually { subscriber.completion != nil }
        return subscriber.failure
    }

    func test_failsWithTheReasonWhereNobodyListens() throws {
        let listener = Listener(port: 0)
        let address = try listener.bind()
        let taken = TestSubscriber<Connection, SystemError>.checked(.first(1))
        listener.subscribe(taken)
        let client = PlainClient(address)
        eventually { taken.values.count == 1 }
        client.close()
        taken.cancel()
        eventually("the port is closed") { self.failure(of: Connection.connect(to: address))?.code == ECONNREFUSED }
        XCTAssertEqual(
            failure(of: Connection.connect(to: .unix(path: "/no/such/socket"))),
            SystemError(call: "connect", code: ENOENT, subject: "/no/such/socket"))
    }

    func test_findsAHostByItsName() throws {
        let listener = Listener(port: 0, host: "localhost")
        let port = try XCTUnwrap(try listener.bind().port)
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        Connection.connect(to: .tcp(host: "localhost", port: port)).subscribe(subscriber)
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values.first?.remoteAddress.port, port)
    }

    func test_failsWhereThereIsNoSuchHost() {
        let log = CallLog { call, _ in call == "getaddrinfo" ? .fail(EHOSTUNREACH) : .proceed }
        let publisher = Connection.connect(to: .tcp(host: "no.such.host", port: 80), calls: log.calls)
        XCTAssertEqual(
            failure(of: publisher),
            SystemError(call: "getaddrinfo", code: EHOSTUNREACH, subject: "no.such.host:80"))
        XCTAssertEqual(
            failure(of: Connection.connect(to: .tcp(host: "not a host", port: 80)))?.description,
            "getaddrinfo not a host:80: Name or service not known")
    }

    func test_failsForAPortThatIsNone() {
        for port in [0, -1, 65_536, .max, .min] {
            XCTAssertEqual(
                failure(of: Connection.connect(to: .tcp(host: "127.0.0.1", port: port))),
                SystemError(call: "connect", code: EINVAL, subject: "127.0.0.1:\(port)"))
        }
    }

    func test_doesNothingBeforeTheFirstRequest() throws {
        let log = CallLog()
        let subscriber = TestSubscriber<Connection, SystemError>.checked()
        Connection.connect(to: .unix(path: "/no/such/socket"), calls: log.calls).subscribe(subscriber)
        XCTAssertEqual(log.names, [])
        subscriber.cancel()
    }

    func test_failsWhenTheTimeOfASchedulerIsUp() throws {
        try failLate { Connection.connect(to: $0, timeout: .seconds(2), scheduler: $1) }
    }

    func test_failsWhenTheTimeOfAClockIsUp() throws {
        try failLate { Connection.connect(to: $0, timeout: .seconds(2), clock: TestClock($1)) }
    }

    private func failLate(
        _ connect: (SocketAddress, TestScheduler) -> some Publisher<Connection, SystemError>
    ) throws {
        // The backlog is full, so the kernel doesn't answer.
        let folder = Folder()
        let listener = Listener(path: folder["socket"], backlog: 1)
        let address = try listener.bind()
        let waiting = [PlainClient(address), PlainClient(address)]
        let scheduler = TestScheduler()
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        connect(address, scheduler).subscribe(subscriber)
        scheduler.advance(by: .seconds(1))
        XCTAssertNil(subscriber.completion)
        scheduler.advance(by: .seconds(2))
        eventually { subscriber.completion != nil }
        XCTAssertEqual(
            subscriber.failure, SystemError(call: "connect", code: ETIMEDOUT, subject: folder["socket"]))
        withExtendedLifetime((waiting, listener)) {}
    }

    func test_waitsForAPlaceInTheBacklogOfAUnixSocket() throws {
        let folder = Folder()
        let listener = Listener(path: folder["socket"], backlog: 1)
        let address = try listener.bind()
        let count = 20
        let log = CallLog()
        let calls = log.calls
        let clients = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        (0..<count).publisher.setFailureType(to: SystemError.self)
            .flatMap { _ in Connection.connect(to: address, calls: calls) }
            .subscribe(clients)
        eventually("some have tried again") { log["connect"] > count }
        let accepted = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        listener.subscribe(accepted)
        eventually { accepted.values.count == count && clients.hasFinished }
        XCTAssertEqual(clients.values.count, count)
        accepted.cancel()
    }

    func test_triesTheNextAddressWhereOneDoesNotAnswer() throws {
        let log = CallLog { call, number in call == "connect" && number == 0 ? .fail(ECONNREFUSED) : .proceed }
        let listener = Listener(port: 0, host: "::")
        guard let port = try? listener.bind().port else { throw XCTSkip("There is no IPv6 here.") }
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        Connection.connect(to: .tcp(host: "localhost", port: port), calls: log.calls).subscribe(subscriber)
        eventually { subscriber.completion != nil }
        // Where the name stands for one address alone, its failure is what is told.
        if log["connect"] > 1 {
            XCTAssertEqual(subscriber.values.count, 1)
        } else {
            XCTAssertEqual(subscriber.failure?.code, ECONNREFUSED)
        }
    }

    func test_aConnectionThatIsMadeWhileItIsCancelledIsClosed() throws {
        let listener = Listener(port: 0)
        let address = try listener.bind()
        let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
        let log = CallLog { call, _ in
            if call == "getsockname" { subscriber.cancel() }
            return .proceed
        }
        Connection.connect(to: address, calls: log.calls).subscribe(subscriber)
        eventually("it is closed") { log["close"] == 1 }
        XCTAssertEqual(subscriber.values.count, 0)
        withExtendedLifetime(listener) {}
    }

    func test_cancellingLeavesNoDescriptor() throws {
        let before = openDescriptorCount()
        do {
            let listener = Listener(port: 0)
            let address = try listener.bind()
            for _ in 0..<50 {
                let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
                Connection.connect(to: address).subscribe(subscriber)
                subscriber.cancel()
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }

    func test_aSubscriptionThatIsReleasedEnds() throws {
        let before = openDescriptorCount()
        do {
            let listener = Listener(port: 0)
            let address = try listener.bind()
            for _ in 0..<50 {
                Connection.connect(to: address).subscribe(AnySubscriber(receiveSubscription: { $0.request(.max(1)) }))
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }

    func test_aWriterThatStallsWhileItsConnectionIsDeliveredGoesOn() throws {
        let server = try TestServer(.tcp)
        let end = End<SystemError>()
        let size = 32 << 20
        let connecting = Connection.connect(to: server.address).sink(
            receiveCompletion: { _ in },
            receiveValue: { connection in
                // It begins on the queue of the connection, and waits for room before this returns.
                Just(Bytes(block: size)).setFailureType(to: SystemError.self).write(to: connection) { end.notify($0) }
                standsStill("the writing") { connection.takenBytes }
            })
        eventually { server.subscriber.values.count == 1 }
        // Only when the connection has been delivered.
        sleep(1)
        let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
        server.subscriber.values.first?.bytes().subscribe(reader)
        eventually("everything is written") { end.written != nil }
        withExtendedLifetime(connecting) {}
    }
}
