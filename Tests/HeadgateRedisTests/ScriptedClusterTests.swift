import Foundation
import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// What the nodes of a cluster say rarely; without a redis-server.
final class ScriptedClusterTests: XCTestCase {
    /// A node that serves all slots, and answers to some commands as a test says.
    private func node(
        _ answer: @escaping @Sendable (_ port: Int, _ command: [String], _ times: Int) -> String?
    ) throws -> ScriptedServer {
        let port = Guarded(0)
        let times = Guarded<[String: Int]>([:])
        let server = try ScriptedServer(isNode: true) { _, command in
            let own = port.withLock { $0 }
            switch command[0] {
            case "CLUSTER":
                return "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:\(own)\r\n$1\r\na\r\n"
            case "HELLO", "PING", "ASKING": return "+OK\r\n"
            default:
                let count = times.withLock { times in
                    times[command[0], default: 0] += 1
                    return times[command[0]]!
                }
                return answer(own, command, count)
            }
        }
        port.withLock { $0 = server.port }
        return server
    }

    private func outcome(_ url: String, retries: Int = 10, _ command: Bytes...) -> Result<RedisValue, RedisError>? {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        options.commandRetries = retries
        let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
        Redis(url, options: options).command(command).subscribe(subscriber)
        switch subscriber.ending() {
        case .failure(let error): return .failure(error)
        default: return subscriber.values.first.map { .success($0) }
        }
    }

    func test_waitsForWhatIsTemporary() throws {
        let node = try node { _, _, times in
            switch times {
            case 1: "-TRYAGAIN Multiple keys request during rehashing of slot\r\n"
            case 2: "-CLUSTERDOWN The cluster is down\r\n"
            case 3: "-LOADING Redis is loading the dataset in memory\r\n"
            case 4: "-READONLY You can't write against a read only replica.\r\n"
            default: "$1\r\nv\r\n"
            }
        }
        XCTAssertEqual(try outcome(node.url, "GET", "k")?.get(), .string("v"))
        XCTAssertEqual(node.commands.count { $0[0] == "GET" }, 5)
    }

    func test_theWaitingEndsWithThePolicy() throws {
        for words in ["TRYAGAIN later", "CLUSTERDOWN Hash slot not served"] {
            let node = try node { _, _, _ in "-\(words)\r\n" }
            guard case .failure(let error) = outcome(node.url, retries: 3, "GET", "k") else { return XCTFail() }
            XCTAssertEqual(error.reason, .server(words))
            XCTAssertEqual(node.commands.count { $0[0] == "GET" }, 4)
        }
    }

    /// Two nodes that each name the other one are not asked for ever.
    func test_nodesThatDisagreeEndWithThePolicy() throws {
        let node = try node { port, _, _ in "-MOVED 12539 127.0.0.1:\(port)\r\n" }
        guard case .failure(let error) = outcome(node.url, retries: 7, "GET", "k") else { return XCTFail() }
        XCTAssertEqual(error.code, "MOVED")
        XCTAssertEqual(node.commands.count { $0[0] == "GET" }, 8)
    }

    func test_asksWithNothingBetween() throws {
        let target = try node { _, command, _ in "$2\r\nhi\r\n" }
        let port = target.port
        let source = try node { _, command, _ in command[1] == "k" ? "-ASK 12539 :\(port)\r\n" : "$2\r\nho\r\n" }
        let redis = Redis(source.url)
        let answers = ["k", "{k}b", "k", "{k}c", "k"].map { key in
            let subscriber = TestSubscriber<RedisValue, RedisError>.checked(.unlimited)
            redis.command("GET", Bytes(key)).subscribe(subscriber)
            return subscriber
        }
        for answer in answers { XCTAssertEqual(answer.ending(), .finished) }
        XCTAssertEqual(answers.flatMap { $0.values.map(\.text) }, ["hi", "ho", "hi", "ho", "hi"])
        let asked = target.commands.filter { $0[0] == "ASKING" || $0[0] == "GET" }
        XCTAssertEqual(asked.count, 6)
        for (number, command) in asked.enumerated() { XCTAssertEqual(command[0], number % 2 == 0 ? "ASKING" : "GET") }
        // Others of the slot have not moved yet.
        XCTAssertFalse(asked.contains { $0.count > 1 && $0[1] != "k" })
    }

    /// An entry that was accepted after an earlier one was refused is added again after that.
    func test_keepsTheOrderOfEntriesThatAreRefused() throws {
        let node = try node { _, _, times in
            times == 1 ? "-CLUSTERDOWN The cluster is down\r\n" : "$3\r\n\(times)-1\r\n"
        }
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        let adding = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        ["a", "b", "c"].publisher.map { ["n": Bytes($0)] as EntryFields }
            .add(to: Redis(node.url, options: options).stream("s")).subscribe(adding)
        XCTAssertEqual(adding.ending(), .finished)
        XCTAssertEqual(adding.values.count, 3)
        XCTAssertEqual(node.commands.filter { $0[0] == "XADD" }.map { $0.last! }.suffix(3), ["a", "b", "c"])
    }
}
