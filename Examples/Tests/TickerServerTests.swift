import Glibc
import HeadgateSystem
import XCTest

/// The server as a process, and clients of all misbehavior.
final class TickerServerTests: XCTestCase {
    private let folder = Folder()

    private var address: SocketAddress { .unix(path: folder["socket"]) }

    private func server(_ arguments: String...) -> Example {
        let line = "exec \"$0\" --path \"$@\" 2>&1"
        let example = Example(
            "ticker-server", inShell: line + arguments.reduce("") { "\($0) \($1)" }, folder["socket"])
        eventually("it listens") { example.output.contains("listening") }
        return example
    }

    /// What a client reads until the end, when the server is told to stop.
    private func end(_ server: Example, _ clients: [PlainClient]) -> [String] {
        server.signal(.terminate)
        return clients.map { $0.readAll() }
    }

    private func numbers(in text: String) -> [Int] { numbers(in: Array(text.utf8)) }

    /// The number at the beginning of each whole line; digit by digit, for a debug build takes long over characters.
    private func numbers(in text: [UInt8]) -> [Int] {
        var numbers: [Int] = []
        var number: Int?
        var isAtStart = true
        for byte in text {
            if byte == 10 {
                if let number { numbers.append(number) }
                (number, isAtStart) = (nil, true)
            } else if isAtStart, byte >= 48, byte < 58 {
                number = (number ?? 0) * 10 + Int(byte - 48)
            } else {
                isAtStart = false
            }
        }
        return numbers
    }

    /// A figure of those that the server has printed last; zero before.
    private func figure(_ name: String, of server: Example) -> Int {
        let line = server.output.split(separator: "\n").last { $0.hasPrefix("\(name) ") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    private func isOrdered(_ numbers: [Int]) -> Bool { zip(numbers, numbers.dropFirst()).allSatisfy { $0 <= $1 } }

    private func hasGaps(_ numbers: [Int]) -> Bool { zip(numbers, numbers.dropFirst()).contains { $0 + 1 < $1 } }

    /// Reads until there is enough, which is looked at whenever there is twice as much, or for 64 MiB.
    private func readNumbers(_ client: PlainClient, until isEnough: ([Int]) -> Bool) -> [Int] {
        var all: [UInt8] = []
        var next = 256
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while all.count < 1 << 26, case let count = recv(client.number, &buffer, buffer.count, 0), count > 0 {
            all += buffer[..<count]
            if all.count < next { continue }
            if isEnough(numbers(in: all)) { break }
            next = 2 * all.count
        }
        return numbers(in: all)
    }

    func test_sendsNumberedMessagesAndReportsEveryClientOfTheEnd() {
        let server = server("--rate", "1000")
        let clients = (0..<10).map { _ in PlainClient(address) }
        for client in clients { XCTAssertTrue(client.awaitsByte()) }
        for text in end(server, clients) {
            XCTAssertTrue(text.hasSuffix("\nend\n"), text.suffix(20).description)
            let seen = numbers(in: text)
            let first = seen.first ?? 0
            XCTAssertFalse(seen.isEmpty)
            XCTAssertEqual(seen, Array(first..<(first + seen.count)))
        }
        XCTAssertEqual(server.awaitEnd(), .status(0))
        XCTAssertNotEqual(access(folder["socket"], F_OK), 0)
    }

    func test_aLateClientHasTheLastMessageFirst() {
        // A single batch, after which nothing comes for ten seconds.
        let server = server("--rate", "1", "--batch", "100")
        let early = PlainClient(address)
        var buffer = [UInt8](repeating: 0, count: 64)
        XCTAssertGreaterThan(recv(early.number, &buffer, buffer.count, 0), 0)
        let late = PlainClient(address)
        XCTAssertGreaterThan(recv(late.number, &buffer, buffer.count, 0), 0)
        XCTAssertNotNil(numbers(in: String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)).first)
        _ = end(server, [early, late])
        XCTAssertEqual(server.awaitEnd(), .status(0))
    }

    func test_misbehavingClientsHarmNoOther() {
        let server = server("--rate", "1000")
        let good = PlainClient(address)
        let garbage = PlainClient(address)
        garbage.send(String(repeating: "\u{1}\u{FFFD}x\n", count: 500) + String(repeating: "y", count: 5000))
        let halfALine = PlainClient(address)
        halfALine.send("late")
        halfALine.closeWriting()
        PlainClient(address).close()
        let reset = PlainClient(address)
        reset.send("lat")
        reset.reset()
        let nothing = PlainClient(address)
        nothing.closeWriting()
        for client in [good, halfALine, nothing] { XCTAssertTrue(client.awaitsByte()) }
        eventually("garbage is noticed") {
            server.signal(.user1)
            return figure("misunderstood", of: server) > 0
        }
        for text in end(server, [good, halfALine, nothing]) {
            XCTAssertTrue(text.hasSuffix("end\n"), text.suffix(20).description)
        }
        XCTAssertEqual(server.awaitEnd(), .status(0))
    }

    func test_eachPolicyDoesWhatItSaysToAClientThatDoesNotRead() {
        let server = server("--rate", "200000", "--buffer", "4", "--grace", "1")
        let latest = PlainClient(address)
        latest.send("latest\n")
        let oldest = PlainClient(address)
        let disconnected = PlainClient(address)
        disconnected.send("disconnect\n")
        eventually("one is disconnected") {
            server.signal(.user1)
            return server.output.contains("disconnected   1")
        }
        // More has been sent by then than the kernel keeps for a client that does not read.
        eventually("enough has been sent") {
            server.signal(.user1)
            return figure("messages", of: server) > 400_000
        }
        // What it had been sent, and no farewell.
        XCTAssertFalse(disconnected.readAll().hasSuffix("end\n"))
        // The last message of the batches that it had no room for is what it is sent next.
        XCTAssertTrue(isOrdered(readNumbers(latest) { $0.count > 20 }))
        // How large the batches are, and so where the first gap is, is up to the machine.
        let seen = readNumbers(oldest) { hasGaps($0) }
        XCTAssertTrue(isOrdered(seen))
        XCTAssertTrue(hasGaps(seen), "some are dropped")
        _ = end(server, [latest, oldest])
        XCTAssertEqual(server.awaitEnd(), .status(0))
    }

    func test_endsUnderLoadThoughSomeNeverReadInBoundedMemory() throws {
        let server = server("--rate", "5000", "--grace", "1")
        let load = Example(
            "ticker-load", inShell: "exec \"$0\" --path \"$1\" --clients 100 --silent 25 --messages 10000 2>&1",
            folder["socket"])
        XCTAssertEqual(load.awaitEnd(), .status(0))
        XCTAssertTrue(load.output.contains("in order       yes"), load.output)
        XCTAssertTrue(load.output.contains("got farewell   not awaited"), load.output)
        // What it has waited for is what it counts.
        let messages = load.output.firstMatch(of: /MiB, ([0-9]+) messages/).flatMap { Int($0.1) }
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(messages), 10_000)
        let second = Example(
            "ticker-load", inShell: "exec \"$0\" --path \"$1\" --clients 100 --silent 25 2>&1", folder["socket"])
        server.signal(.user1)
        eventually("the figures come") { server.output.contains("resident") }
        let line = try XCTUnwrap(server.output.split(separator: "\n").last { $0.hasPrefix("resident") })
        // Debug builds are larger; in a release build it is a third of that.
        XCTAssertLessThan(Int(line.split(separator: " ")[1]) ?? .max, 96 << 10)
        eventually("all are connected") {
            server.signal(.user1)
            return server.output.contains("clients        100 of 200")
        }
        server.signal(.terminate)
        XCTAssertEqual(server.awaitEnd(), .status(0))
        XCTAssertEqual(second.awaitEnd(), .status(0))
        XCTAssertTrue(second.output.contains("got farewell   75"), second.output)
    }

    func test_withoutDescriptorsLeftItSendsClientsAwayAndServesTheOthers() {
        let example = Example(
            "ticker-server", inShell: "ulimit -n 64; exec \"$0\" --path \"$1\" --rate 1000 2>&1", folder["socket"])
        eventually("it listens") { example.output.contains("listening") }
        let clients = (0..<100).map { _ in PlainClient(address) }
        eventually("some are sent away") {
            example.signal(.user1)
            return figure("refused", of: example) > 0
        }
        let texts = end(example, clients)
        let served = texts.count { $0.hasSuffix("end\n") }
        XCTAssertGreaterThan(served, 5)
        XCTAssertLessThan(served, 64)
        XCTAssertEqual(example.awaitEnd(), .status(0))
    }

    func test_reportsWhatIsWrongWithTheCommandLineAndTheAddress() {
        let wrong = Example("ticker-server", "--rate", "0")
        XCTAssertEqual(wrong.awaitEnd(), .status(2))
        let taken = Example("ticker-server", "--path", "/no/such/folder/socket")
        XCTAssertEqual(taken.awaitEnd(), .status(1))
        XCTAssertTrue(taken.errors.contains("No such file"), taken.errors)
        let nobody = Example("ticker-load", "--path", "/no/such/socket")
        XCTAssertEqual(nobody.awaitEnd(), .status(1))
    }
}
