import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

/// A server that lacks what streams need says so by its version; one that refuses for another reason does not.
final class OldServerTests: XCTestCase {
    private func server(_ version: String?, _ answers: [String: String]) throws -> ScriptedServer {
        try ScriptedServer { _, command in
            switch command[0] {
            case "HELLO":
                guard let version else { return "-ERR unknown command `HELLO`, with args beginning with: `3`, \r\n" }
                return "*4\r\n$7\r\nversion\r\n$\(version.count)\r\n\(version)\r\n$2\r\nid\r\n:7\r\n"
            case "XPENDING" where answers["XPENDING"] == nil: return "*0\r\n"
            case "EVAL" where answers["EVAL"] == nil: return "*3\r\n:0\r\n$0\r\n\r\n*0\r\n"
            default: return answers[command[0]] ?? "+OK\r\n"
            }
        }
    }

    private func failure(of publisher: some Publisher<some Sendable, RedisError>) -> RedisError? {
        let subscriber = TestSubscriber<Bool, RedisError>(.unlimited)
        publisher.map { _ in true }.subscribe(subscriber)
        return subscriber.ending()?.failure
    }

    func test_namesTheCommandAndBothVersions() throws {
        let answers = [
            "XPENDING": "-ERR value is not an integer or out of range\r\n", "XADD": "-ERR syntax error\r\n",
            "XRANGE": "-ERR Invalid stream ID specified as stream command argument\r\n",
            "EVAL": "-ERR Error running script (call to f_1): @user_script: 1: Unknown Redis command\r\n",
        ]
        for version in ["6.0.16", "5.0.14", nil] {
            let server = try server(version, answers)
            let stream = Redis(server.url).stream("s")
            let adding = [["n": "1"] as EntryFields].publisher.add(to: stream, trimming: .toAboutSince(EntryID(5)))
            let errors = [
                failure(of: stream.deliveries(group: "g", consumer: "c")), failure(of: adding),
                failure(of: stream.entries(from: .between(EntryID(0), EntryID(.max)))),
                failure(of: stream.lag(of: "g")),
            ]
            XCTAssertEqual(errors.map(\.?.command), ["XPENDING", "XADD", "XRANGE", "EVAL"])
            for error in errors {
                XCTAssertEqual(error?.reason, .tooOld(version: version ?? "before 6.0", needed: "6.2"))
            }
            let words = "and the command or an option of it needs 6.2 or later"
            let whole = ": the server's version is \(version ?? "before 6.0"), \(words)"
            XCTAssertEqual(errors[1]?.description.hasSuffix(whole), true)
        }
    }

    func test_otherRefusalsAreTheServersWords() throws {
        let refusal = "ERR The ID specified in XADD is equal or smaller than the target stream top item"
        for (version, words) in [("6.2.14", "ERR syntax error"), ("8.0.1", "ERR syntax error"), ("6.0.16", refusal)] {
            let server = try server(version, ["XADD": "-\(words)\r\n"])
            let adding = [["n": "1"] as EntryFields].publisher.add(to: Redis(server.url).stream("s"))
            XCTAssertEqual(failure(of: adding)?.reason, .server(words))
        }
        // What the user sends is the user's.
        let server = try server("6.0.16", ["LMOVE": "-ERR unknown command `LMOVE`\r\n"])
        XCTAssertEqual(failure(of: Redis(server.url).command("LMOVE"))?.reason, .server("ERR unknown command `LMOVE`"))
    }

    /// A server that does not tell its version greets the same on the next connection.
    func test_aServerWithoutHelloIsGreetedAgain() throws {
        let server = try ScriptedServer { connection, command in
            switch command[0] {
            case "HELLO": "-ERR unknown command `HELLO`\r\n"
            case "XADD": connection == 1 ? nil : "$3\r\n1-0\r\n"
            default: "+OK\r\n"
            }
        }
        let subscriber = TestSubscriber<EntryID, RedisError>.checked(.unlimited)
        [["n": "1"] as EntryFields].publisher.add(to: Redis(server.url).stream("s")).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending(), .finished)
        XCTAssertEqual(subscriber.values, [EntryID(1)])
    }

    func test_lagInTheFormatOfPrometheus() {
        let groups = [
            (stream: "s", group: "g\"", lag: GroupLag(waiting: nil, pending: 2, consumers: 3, age: nil)),
            (stream: "t", group: "h", lag: GroupLag(waiting: 7, pending: 0, consumers: 1, age: .milliseconds(1_500))),
        ]
        let text = GroupLag.prometheus(groups)
        XCTAssertEqual(
            text,
            """
            # HELP headgate_group_waiting_entries Entries that have not been delivered.
            # TYPE headgate_group_waiting_entries gauge
            headgate_group_waiting_entries{stream="t",group="h"} 7
            # HELP headgate_group_pending_entries Entries that have been delivered and not acknowledged.
            # TYPE headgate_group_pending_entries gauge
            headgate_group_pending_entries{stream="s",group="g\\""} 2
            headgate_group_pending_entries{stream="t",group="h"} 0
            # HELP headgate_group_oldest_seconds Age of the oldest entry that has not been delivered.
            # TYPE headgate_group_oldest_seconds gauge
            headgate_group_oldest_seconds{stream="s",group="g\\""} 0.0
            headgate_group_oldest_seconds{stream="t",group="h"} 1.5
            # HELP headgate_group_consumers Consumers that the group knows.
            # TYPE headgate_group_consumers gauge
            headgate_group_consumers{stream="s",group="g\\""} 3
            headgate_group_consumers{stream="t",group="h"} 1

            """)
        XCTAssertEqual(groups[1].lag.prometheus(stream: "t", group: "h"), GroupLag.prometheus([groups[1]]))
    }
}
