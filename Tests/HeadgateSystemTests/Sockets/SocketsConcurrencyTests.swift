import Dispatch
import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Demand, cancellation and resets from threads that the connections know nothing of.
final class SocketsConcurrencyTests: XCTestCase {
    func test_manyClientsAreEchoedAtTheSameTime() throws {
        for kind in Kind.allCases {
            let server = try TestServer(kind, accepts: false)
            let address = server.address
            let echo = server.listener.sink(
                receiveCompletion: { _ in },
                receiveValue: { connection in connection.bytes().write(to: connection) { _ in } })
            let count = Scale.reduced(200)
            let matches = Guarded(0)
            onThreads(4) { number in
                for round in 0..<count {
                    let client = PlainClient(address)
                    let text = "thread \(number) round \(round)"
                    client.send(text)
                    client.closeWriting()
                    if client.readAll() == text { matches.withLock { $0 += 1 } }
                }
            }
            XCTAssertEqual(matches.withLock { $0 }, 4 * count)
            echo.cancel()
        }
    }

    func test_subscribersThatBlockDelayNoOther() throws {
        let server = try TestServer(.unix)
        let mayGoOn = DispatchSemaphore(value: 0)
        let blocked = Guarded(0)
        // More than there are threads that wait for events.
        let count = 8
        var clients: [PlainClient] = []
        for number in 0..<count {
            clients.append(PlainClient(server.address))
            eventually { server.subscriber.values.count > number }
            server.subscriber.values[number].bytes().sink(
                receiveCompletion: { _ in },
                receiveValue: { _ in
                    blocked.withLock { $0 += 1 }
                    mayGoOn.wait()
                }
            )
            .store(in: &cancellables)
            clients[number].send("x")
        }
        // How many threads there are for those who block is up to Dispatch; it makes more.
        eventually("some block") { blocked.withLock { $0 } >= 2 }
        let other = PlainClient(server.address)
        eventually { server.subscriber.values.count > count }
        let connection = server.subscriber.values[count]
        connection.bytes().write(to: connection) { _ in }
        other.send("echo")
        other.closeWriting()
        XCTAssertEqual(other.readAll(), "echo")
        for _ in 0..<count { mayGoOn.signal() }
        eventually("all were blocked in their turn") { blocked.withLock { $0 } == count }
        for client in clients { client.close() }
    }

    func test_connectionsThatNeverPauseLeaveTimeForOthers() throws {
        let server = try TestServer(.unix)
        // More than there are processors send without end, and are read without end.
        let count = 8
        for number in 0..<count {
            let (accepted, client) = try server.connect()
            accepted.bytes(chunkSize: 1 << 10).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
                .store(in: &cancellables)
            let writing = Always(Bytes(block: 1 << 16)).write(to: client) { _ in }
            AnyCancellable(writing.cancel).store(in: &cancellables)
            XCTAssertEqual(server.subscriber.values.count, number + 1)
        }
        let other = PlainClient(server.address)
        eventually { server.subscriber.values.count > count }
        let connection = server.subscriber.values[count]
        connection.bytes().write(to: connection) { _ in }
        for _ in 0..<20 {
            other.send("x")
            var byte: UInt8 = 0
            XCTAssertEqual(recv(other.number, &byte, 1, 0), 1)
        }
        cancellables = []
    }

    private var cancellables: Set<AnyCancellable> = []

    override func tearDown() { cancellables = [] }

    func test_readersThatAreRequestedFromTwoThreadsLoseNothing() throws {
        let (server, client) = try connectionPair(.tcp)
        let count = Scale.reduced(20_000)
        (0..<count).publisher.map { "line \($0)" }.write(to: client, terminator: "\n") { _ in }
        let subscriber = TestSubscriber<String, SystemError>.checked()
        server.lines().subscribe(subscriber)
        onThreads(2) { _ in
            for _ in 0..<(count / 2) { subscriber.request(.max(1)) }
        }
        eventually { subscriber.values.count == count }
        XCTAssertEqual(subscriber.values, (0..<count).map { "line \($0)" })
        subscriber.request(.max(1))
        eventually { subscriber.hasFinished }
    }

    func test_cancellingAndResettingWhileBothDirectionsAreBusyLeavesNoDescriptor() throws {
        let before = openDescriptorCount()
        for kind in Kind.allCases {
            let server = try TestServer(kind)
            for round in 0..<Scale.reduced(500) {
                let (accepted, client) = try server.connect()
                let reader = TestSubscriber<Bytes, SystemError>.checked(.unlimited)
                accepted.bytes().subscribe(reader)
                let end = End<SystemError>()
                let echo = client.bytes().write(to: client, receiveEnd: end.notify)
                let writing = Always(Bytes(block: 1 << 14)).write(to: accepted) { _ in }
                let cancelEcho = AnyCancellable(echo.cancel)
                let cancelWriting = AnyCancellable(writing.cancel)
                onThreads(3) { number in
                    switch (number + round) % 3 {
                    case 0: cancelEcho.cancel()
                    case 1: accepted.reset()
                    default:
                        reader.cancel()
                        cancelWriting.cancel()
                    }
                }
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }

    func test_cancellingAListenerWhileClientsComeLeavesNoDescriptor() throws {
        let before = openDescriptorCount()
        for _ in 0..<Scale.reduced(500) {
            let listener = Listener(port: 0)
            let address = try listener.bind()
            let subscriber = TestSubscriber<Connection, SystemError>.checked(.unlimited)
            listener.subscribe(subscriber)
            onThreads(2) { number in
                if number == 0 { _ = PlainClient(address) } else { subscriber.cancel() }
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }

    func test_cancellingWhileConnectingLeavesNoDescriptor() throws {
        let before = openDescriptorCount()
        do {
            let server = try TestServer(.tcp)
            for _ in 0..<Scale.reduced(500) {
                let subscriber = TestSubscriber<Connection, SystemError>.checked()
                Connection.connect(to: server.address).subscribe(subscriber)
                onThreads(2) { number in
                    if number == 0 { subscriber.request(.max(1)) } else { subscriber.cancel() }
                }
            }
        }
        eventually("every descriptor is closed") { openDescriptorCount() <= before + 4 }
    }
}
