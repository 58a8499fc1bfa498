import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class CommandTests: RedisTestCase {
    private func outcome(
        _ publisher: AnyPublisher<RedisValue, RedisError>, file: StaticString = #filePath, line: UInt = #line
    ) -> Result<RedisValue, RedisError>? {
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        publisher.subscribe(subscriber)
        switch subscriber.ending(file: file, line: line) {
        case .failure(let error): return .failure(error)
        default: return subscriber.values.first.map { .success($0) }
        }
    }

    func test_publishesTheReplyAndFinishes() throws {
        let redis = Redis(try RealServer.shared().url)
        XCTAssertEqual(try outcome(redis.command("SET", "k", "v"))?.get(), .status("OK"))
        XCTAssertEqual(try outcome(redis.command("GET", "k"))?.get(), .string("v"))
        XCTAssertEqual(try outcome(redis.command("GET", "other"))?.get(), .null)
        XCTAssertEqual(try outcome(redis.command("HGETALL", "none"))?.get(), .map([]))
    }

    func test_sendsNothingWithoutDemand() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.none)
        redis.command("INCR", "k").subscribe(subscriber)
        XCTAssertEqual(try server.makeRequest("GET", "k"), .null)
        subscriber.request(.max(1))
        subscriber.request(.max(1))
        subscriber.ending()
        XCTAssertEqual(subscriber.values, [.integer(1)])
        XCTAssertEqual(try server.makeRequest("GET", "k"), .string("1"))
    }

    func test_manyCommandsShareOneConnectionAndKeepTheirReplies() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let subscribers = (0..<500).map { number in
            let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
            redis.command("ECHO", Bytes("\(number)")).subscribe(subscriber)
            return subscriber
        }
        for (number, subscriber) in subscribers.enumerated() {
            subscriber.ending()
            XCTAssertEqual(subscriber.values, [.string(Bytes("\(number)"))])
        }
        // This question's own connection, and one.
        let clients = try XCTUnwrap(server.makeRequest("CLIENT", "LIST", "TYPE", "normal").text)
        XCTAssertEqual(clients.split(separator: "\n").count, 2, clients)
    }

    func test_failsWithTheWordsOfTheServer() throws {
        let redis = Redis(try RealServer.shared().url)
        _ = outcome(redis.command("SET", "k", "v"))
        guard case .failure(let error) = outcome(redis.command("LPUSH", "k", "secret")) else { return XCTFail() }
        XCTAssertEqual(error.code, "WRONGTYPE")
        XCTAssertEqual(error.command, "LPUSH")
        XCTAssertTrue("\(error)".contains("Operation against a key"), "\(error)")
        // The connection is still of use.
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        guard case .failure(let unknown) = outcome(redis.command("NOSUCH", "secret")) else { return XCTFail() }
        XCTAssertFalse("\(unknown)".contains("secret"), "\(unknown)")
    }

    func test_carriesAnyBytesAndLargeOnes() throws {
        let redis = Redis(try RealServer.shared().url)
        let all = Bytes((0...255).map { UInt8($0) })
        for value in [all, Bytes(), Bytes(String(repeating: "x", count: 3 << 20))] {
            XCTAssertEqual(try outcome(redis.command("SET", all, value))?.get(), .status("OK"))
            XCTAssertEqual(try outcome(redis.command("GET", all))?.get(), .string(value))
        }
        XCTAssertEqual(try outcome(redis.command("SET", "", "empty"))?.get(), .status("OK"))
        XCTAssertEqual(try outcome(redis.command("GET", ""))?.get(), .string("empty"))
        let tooLarge = Bytes(capacity: 512 << 20 + 1) { $0.count }
        guard case .failure(let error) = outcome(redis.command("SET", "k", tooLarge)) else { return XCTFail() }
        guard case .tooLarge = error.reason else { return XCTFail("\(error)") }
    }

    func test_selectsADatabase() throws {
        let server = try RealServer.shared()
        XCTAssertEqual(try outcome(Redis(server.url + "?db=3").command("SET", "k", "v"))?.get(), .status("OK"))
        XCTAssertEqual(try outcome(Redis(server.url).command("GET", "k"))?.get(), .null)
        XCTAssertEqual(try outcome(Redis(server.url + "?db=3").command("GET", "k"))?.get(), .string("v"))
        guard case .failure(let error) = outcome(Redis(server.url + "?db=16").command("PING")) else { return XCTFail() }
        XCTAssertEqual(error.command, "SELECT")
        XCTAssertTrue("\(error)".contains("DB index is out of range"), "\(error)")
    }

    func test_logsInAndNeverRepeatsThePassword() throws {
        let server = try RealServer()
        try server.makeRequest("ACL", "SETUSER", "ada", "on", ">p@ss:w/rd", "~*", "+@all")
        try server.makeRequest("CONFIG", "SET", "requirepass", "main")
        XCTAssertEqual(try outcome(Redis(server.url + "?password=main").command("PING"))?.get(), .status("PONG"))
        let login = server.url + "?user=ada&password=p%40ss:w%2Frd"
        XCTAssertEqual(try outcome(Redis(login).command("PING"))?.get(), .status("PONG"))
        for (url, code) in [(server.url, "NOAUTH"), (server.url + "?password=wrong-one", "WRONGPASS")] {
            let redis = Redis(url)
            let events = TestSubscriber<RedisEvent, Never>(.unlimited)
            redis.events.subscribe(events)
            guard case .failure(let error) = outcome(redis.command("PING")) else { return XCTFail() }
            XCTAssertEqual(error.code, code)
            XCTAssertFalse("\(error)\(events.values)".contains("wrong-one"), "\(error)")
            // At once, without another attempt.
            XCTAssertEqual(events.values.count, 2, "\(events.values)")
        }
    }

    func test_connectsAgainAfterTheServerHasClosedTheConnection() throws {
        let server = try RealServer.shared()
        let redis = Redis(server.url)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        try server.makeRequest("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        eventually("the loss") { events.values.contains { if case .lost = $0 { true } else { false } } }
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        eventually("the events") { events.values.count == 4 }
        guard case .connected = events.values[0], case .lost(let error) = events.values[1],
            case .retrying = events.values[2], case .connected = events.values[3]
        else { return XCTFail("\(events.values)") }
        XCTAssertEqual(error.reason, .closed)
    }

    func test_givesUpByThePolicy() throws {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(5), retries: 3)
        let redis = Redis("unix:///no/such/socket", options: options)
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        guard case .failure(let error) = outcome(redis.command("PING")) else { return XCTFail() }
        XCTAssertEqual(error.command, "PING")
        XCTAssertEqual(error.address, "/no/such/socket")
        guard case .system(let cause) = error.reason else { return XCTFail() }
        XCTAssertEqual(cause.code, ENOENT)
        eventually("the events") { events.values.last == .failed(error.withoutCommand) }
        XCTAssertEqual(events.values.filter { $0 == .retrying(after: .milliseconds(5)) }.count, 3)
        XCTAssertEqual(events.values.count, 3 * 2 + 2)
    }

    func test_waitsForAServerThatRefusesForATime() throws {
        let server = try RealServer()
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(20), retries: nil)
        let redis = Redis(server.url, options: options)
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        try server.makeRequest("CONFIG", "SET", "replica-read-only", "yes")
        try server.makeRequest("REPLICAOF", "127.0.0.1", "1")
        let events = TestSubscriber<RedisEvent, Never>(.unlimited)
        redis.events.subscribe(events)
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        redis.command("SET", "k", "v").subscribe(subscriber)
        eventually("the refusal") {
            events.values.contains { if case .lost(let error) = $0 { error.code == "READONLY" } else { false } }
        }
        try server.makeRequest("REPLICAOF", "NO", "ONE")
        subscriber.ending()
        XCTAssertEqual(subscriber.values, [.status("OK")])
    }

    func test_aServerThatDoesNotAnswerIsDead() throws {
        let server = try RealServer()
        var options = RedisOptions()
        options.answeringTime = .milliseconds(100)
        options.retrying = .constant(.milliseconds(20), retries: nil)
        let redis = Redis(server.url, options: options)
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        guard case .failure(let error) = outcome(redis.command("DEBUG", "SLEEP", "0.5")) else { return XCTFail() }
        if error.code == nil { XCTAssertEqual(error.reason, .timedOut(.milliseconds(100))) }
    }

    func test_closesAConnectionThatNobodyUses() throws {
        let server = try RealServer.shared()
        var options = RedisOptions()
        options.idleTime = .milliseconds(50)
        let redis = Redis(server.url, options: options)
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
        // Only that of this question.
        eventually("no connection is left") {
            (try? server.makeRequest("CLIENT", "LIST", "TYPE", "normal").text?.split(separator: "\n").count) == 1
        }
        XCTAssertEqual(try outcome(redis.command("PING"))?.get(), .status("PONG"))
    }

    func test_refusesAddressesThatAreNone() {
        let urls = [
            "", "localhost", "http://localhost", "redis://", "redis://:1", "redis://h:0", "redis://h:99999",
            "redis://h:x",
            "redis://h/x", "redis://h/-1", "unix://relative", "redis://secret@h", "rediss://h", "redis://a:secret@",
            "unix:///x?pass=secret", "redis://h\u{0}/0",
        ]
        for url in urls + ["redis-sentinel://a,b", "redis-sentinel://a,,b/m", "redis-sentinel:///m"] {
            guard case .failure(let error) = outcome(Redis(url).command("PING")) else { return XCTFail(url) }
            guard case .address = error.reason else { return XCTFail("\(url): \(error)") }
            XCTAssertFalse("\(error)".contains("secret"), "\(error)")
        }
    }

    func test_readsAddresses() throws {
        let full = try RedisAddress.parse("redis://us%40er:p@ss:w%2Frd@host:1/16").get()
        XCTAssertEqual(full.place, .server(.tcp(host: "host", port: 1)))
        XCTAssertEqual([full.user, full.password], ["us@er", "p@ss:w/rd"])
        XCTAssertEqual(full.database, 16)
        XCTAssertEqual(full.description, "host:1/16")
        XCTAssertEqual(
            try RedisAddress.parse("redis://[::1]").get().place, .server(.tcp(host: "::1", port: 6379)))
        XCTAssertNil(try RedisAddress.parse("redis://:pw@h").get().user)
        let sentinels = try RedisAddress.parse("redis-sentinel://ada:pw@a,b:1,[::1]:2/my%2Fmaster/3").get()
        XCTAssertEqual(
            sentinels.place,
            .master(
                name: "my/master",
                sentinels: [.tcp(host: "a", port: 26_379), .tcp(host: "b", port: 1), .tcp(host: "::1", port: 2)]))
        XCTAssertEqual(sentinels.database, 3)
        XCTAssertEqual(sentinels.user, "ada")
        let cluster = try RedisAddress.parse("redis-cluster://ada:p%40w@a,b:1,[::1]:2/0").get()
        XCTAssertEqual(
            cluster.place,
            .cluster([.tcp(host: "a", port: 6379), .tcp(host: "b", port: 1), .tcp(host: "::1", port: 2)]))
        XCTAssertEqual(cluster.password, "p@w")
        XCTAssertEqual(cluster.description, "cluster a:6379,b:1,[::1]:2")
    }
}

extension RedisError {
    fileprivate var withoutCommand: RedisError { RedisError(reason, address: address) }
}
