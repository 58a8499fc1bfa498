import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// These run without a redis-server, too.
final class ScriptedServerTests: XCTestCase {
    private func outcome(
        _ server: ScriptedServer, login: String = "", retries: Int? = nil, _ command: Bytes...
    ) -> Result<RedisValue, RedisError>? {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: retries)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        Redis(server.url + login, options: options).command(command).subscribe(subscriber)
        switch subscriber.ending() {
        case .failure(let error): return .failure(error)
        default: return subscriber.values.first.map { .success($0) }
        }
    }

    func test_speaksTheOlderProtocolWithOlderServers() throws {
        for refusal in [
            "-ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `ada`, `secret`, \r\n",
            "-NOPROTO unsupported protocol version\r\n",
        ] {
            let server = try ScriptedServer { _, command in
                switch command[0] {
                case "HELLO": refusal
                case "GET": "$-1\r\n"
                default: "+OK\r\n"
                }
            }
            XCTAssertEqual(try outcome(server, login: "?db=2&user=ada&password=secret", "GET", "k")?.get(), .null)
            XCTAssertEqual(
                server.commands.map { $0.filter { $0 != "SETNAME" && !$0.hasPrefix("headgate-") } },
                [
                    ["HELLO", "3", "AUTH", "ada", "secret"], ["AUTH", "ada", "secret"], ["SELECT", "2"], ["PING"],
                    ["GET", "k"],
                ])
        }
    }

    func test_neverRepeatsThePasswordThatTheServerRepeats() throws {
        let server = try ScriptedServer { _, command in
            command[0] == "HELLO"
                ? "-ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'secret'\r\n"
                : "-ERR secret is wrong, unknown command 'AUTH', with args beginning with: 'secret'\r\n"
        }
        guard case .failure(let error) = outcome(server, login: "?password=secret", "PING") else { return XCTFail() }
        XCTAssertEqual(error.command, "AUTH")
        XCTAssertFalse("\(error)".contains("secret"), "\(error)")
    }

    func test_anHTTPServerIsAClearFailure() throws {
        let server = try ScriptedServer { _, _ in "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" }
        guard case .failure(let error) = outcome(server, "PING") else { return XCTFail() }
        XCTAssertTrue("\(error)".contains("the answer of an HTTP server"), "\(error)")
        XCTAssertEqual(server.count, 1)
    }

    func test_triesAgainWhenThereAreTooManyClientsOrDataIsLoaded() throws {
        let server = try ScriptedServer { number, command in
            switch (number, command[0]) {
            case (1, _): "-ERR max number of clients reached\r\n"
            case (2, "HELLO"): "-LOADING Redis is loading the dataset in memory\r\n"
            case (3, "HELLO"): nil
            case (4, "PING"): "-BUSY Redis is busy running a script.\r\n"
            case (5, "PING"): "-MASTERDOWN Link with MASTER is down\r\n"
            case (6, "PING"): "-TRYAGAIN Multiple keys request during rehashing of slot\r\n"
            default: "+OK\r\n"
            }
        }
        XCTAssertEqual(try outcome(server, "PING")?.get(), .status("OK"))
        XCTAssertEqual(server.count, 7)
    }

    func test_failsAtOnceForWhatWillNotPass() throws {
        for code in ["NOPERM", "OOM", "MOVED 1 host:1", "ASK 1 host:1", "WRONGTYPE"] {
            let server = try ScriptedServer { _, command in command[0] == "SET" ? "-\(code) words\r\n" : "+OK\r\n" }
            guard case .failure(let error) = outcome(server, "SET", "k", "v") else { return XCTFail() }
            XCTAssertEqual(error.code, String(code.prefix { $0 != " " }))
            XCTAssertEqual("\(error)".contains("cluster"), code.hasSuffix("host:1"), "\(error)")
            XCTAssertEqual(server.count, 1)
        }
    }

    func test_aCommandWhoseConnectionIsLostFails() throws {
        let server = try ScriptedServer { _, command in command[0] == "INCR" ? nil : "+OK\r\n" }
        guard case .failure(let error) = outcome(server, "INCR", "k") else { return XCTFail() }
        XCTAssertEqual(error.command, "INCR")
        // Nobody knows whether it was executed, so it was not sent again.
        XCTAssertEqual(server.commands.filter { $0[0] == "INCR" }.count, 1)
    }

    /// Entries keep their order when the server refuses one for a time and takes the ones behind it.
    func test_addsInOrderThoughTheServerRefusesForATime() throws {
        let log = Guarded<[String]>([])
        let refusals = Guarded(0)
        let server = try ScriptedServer { _, command in
            guard command[0] == "XADD" else { return "+OK\r\n" }
            if command[4] == "3",
                refusals.withLock({
                    $0 += 1; return $0
                }) < 3
            {
                return "-LOADING wait\r\n"
            }
            return log.withLock { log in
                log.append(command[4])
                return "$3\r\n\(log.count % 10)-0\r\n"
            }
        }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: 5)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        (0..<8).map { ["n": Bytes("\($0)")] as EntryFields }.publisher
            .add(to: Redis(server.url, options: options).stream("s"), maxInFlight: 8).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values.count, 8)
        let added = log.withLock { $0 }
        XCTAssertEqual(added.prefix(3), ["0", "1", "2"])
        XCTAssertEqual(added.suffix(5), ["3", "4", "5", "6", "7"])
    }

    /// Adds the entries 1-0 to 4-0, and tries again up to five times.
    private func addFour(to server: ScriptedServer) -> TestSubscriber<EntryID, RedisError> {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: 5)
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        (1...4).map { ["n": Bytes("\($0)")] as EntryFields }.publisher
            .add(to: Redis(server.url, options: options).stream("s"), id: { EntryID(UInt64($0.text("n")!)!) })
            .subscribe(subscriber)
        return subscriber
    }

    /// Adds the entries 1-0 to 4-0 to a server that refuses some for a time, and to which 2-0 is new.
    private func addFour(
        refusing refuses: @escaping @Sendable (_ id: String, _ connection: Int) -> Bool
    ) throws -> (values: [EntryID], ending: Subscribers.Completion<RedisError>?, there: [String]) {
        let there = Guarded<[String]>([])
        let server = try ScriptedServer { number, command in
            switch command[0] {
            case "XADD" where refuses(command[2], number):
                return "-READONLY You can't write against a read only replica.\r\n"
            case "XADD":
                return there.withLock { there in
                    let last = there.last.flatMap { EntryID($0) } ?? EntryID(0)
                    if EntryID(command[2])! <= last {
                        return "-ERR The ID specified in XADD is equal or smaller than the target stream top item\r\n"
                    }
                    there.append(command[2])
                    return "$3\r\n\(command[2])\r\n"
                }
            case "XREVRANGE":
                let id = command[2]
                return there.withLock { $0.contains(id) } ? "*1\r\n*2\r\n$3\r\n\(id)\r\n*0\r\n" : "*0\r\n"
            default: return "+OK\r\n"
            }
        }
        let subscriber = addFour(to: server)
        subscriber.ending()
        return (subscriber.values, subscriber.completion, there.withLock { $0 })
    }

    /// A server that refuses everything for a time takes it later, in order, each once.
    func test_addsWithIdentifiersToAServerThatRefusesForATime() throws {
        let (values, ending, there) = try addFour { id, connection in connection < 3 && id != "1-0" }
        XCTAssertEqual(ending, .finished)
        XCTAssertEqual(values, (1...4).map { EntryID($0) })
        XCTAssertEqual(there, ["1-0", "2-0", "3-0", "4-0"])
    }

    /// If it takes a later entry meanwhile, the refused one can't be added in its place any more: a failure, not a loss.
    func test_failsIfALaterIdentifierHasBeenTakenInsteadOfARefusedOne() throws {
        let (values, ending, there) = try addFour { id, connection in connection == 1 && id == "2-0" }
        XCTAssertEqual(ending?.failure?.code, "ERR")
        XCTAssertEqual(values, [EntryID(1)])
        XCTAssertEqual(there, ["1-0", "3-0", "4-0"])
    }

    /// A server that is loading refuses an entry and takes the next when it has finished: nothing is sent before.
    func test_addsNothingToAServerThatIsLoading() throws {
        let server = try ScriptedServer { number, command in
            switch command[0] {
            case "PING": number == 1 ? "-LOADING wait\r\n" : "+PONG\r\n"
            case "XADD" where number == 1 && command[2] == "1-0": "-LOADING wait\r\n"
            case "XADD": "$3\r\n\(command[2])\r\n"
            default: "+OK\r\n"
            }
        }
        let subscriber = addFour(to: server)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(server.commands.filter { $0[0] == "XADD" }.map { $0[2] }, ["1-0", "2-0", "3-0", "4-0"])
    }

    /// Deliveries in the older protocol, where replies are arrays.
    func test_deliversInTheOlderProtocol() throws {
        let reads = Guarded(0)
        let server = try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO": return "-ERR unknown command\r\n"
            case "XPENDING": return "*0\r\n"
            case "EVAL": return "*1\r\n:100000\r\n"
            case "XACK": return ":\(command.count - 3)\r\n"
            case "XREADGROUP":
                let number = reads.withLock { count in
                    count += 1
                    return count
                }
                // Nothing in time, and then an entry.
                if number != 2 { return "*-1\r\n" }
                return "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n"
            default: return "+OK\r\n"
            }
        }
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.first(1))
        Redis(server.url).stream("s").deliveries(group: "g", consumer: "c").acknowledge().subscribe(subscriber)
        subscriber.count(1)
        XCTAssertEqual(subscriber.values, [EntryID(7)])
        XCTAssertTrue(server.commands.contains(["XACK", "s", "g", "7-0"]))
        subscriber.cancel()
    }

    /// A read that is answered neither with entries nor with none in time is on a connection that is dead.
    func test_aReadThatIsNeverAnsweredIsGivenUp() throws {
        let server = try ScriptedServer { number, command in
            switch command[0] {
            case "HELLO": "-ERR unknown command\r\n"
            case "XPENDING": "*0\r\n"
            case "EVAL": "*1\r\n:100000\r\n"
            case "XREADGROUP" where number == 2: ""
            case "XREADGROUP": "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n7-0\r\n*2\r\n$1\r\nn\r\n$1\r\n1\r\n"
            default: "+OK\r\n"
            }
        }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        options.answeringTime = .milliseconds(50)
        let redis = Redis(server.url, options: options)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = TestSubscriber<Delivery, RedisError>.checked(.first(1))
        redis.stream("s").deliveries(group: "g", consumer: "c", takeOverAfter: .milliseconds(30)).subscribe(subscriber)
        subscriber.count(1)
        XCTAssertEqual(subscriber.values.first?.id, EntryID(7))
        XCTAssertTrue(
            events.values.contains {
                if case .lost(let error) = $0, case .timedOut = error.reason { true } else { false }
            }, "\(events.values)")
        subscriber.cancel()
    }

    func test_anAnswerThatFitsNoQuestionIsAFailure() throws {
        let server = try ScriptedServer { _, command in command[0].hasPrefix("X") ? ":1\r\n" : "+OK\r\n" }
        let redis = Redis(server.url)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "1"] as EntryFields].publisher.add(to: redis.stream("s")).subscribe(adding)
        guard case .unexpected = adding.ending()?.failure?.reason else { return XCTFail() }
        let reading = TestSubscriber<Delivery, RedisError>.checked(.unlimited)
        redis.stream("s").deliveries(group: "g", consumer: "c").subscribe(reading)
        guard case .unexpected = reading.ending()?.failure?.reason else { return XCTFail() }
    }
}
