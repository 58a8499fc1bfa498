import HeadgateCore
import HeadgateRedis
import HeadgateTesting
import TestSupport
import XCTest

final class MessagesTests: RedisTestCase {
    private func listen(
        _ server: RealServer, _ demand: DemandScript = .unlimited, channels: [Bytes] = ["news"], patterns: [Bytes] = [],
        whenFull: MessageOverflow = .dropOldest(3), failsWhenInterrupted: Bool = false
    ) throws -> TestSubscriber<MessageEvent, RedisError> {
        var options = RedisOptions()
        options.retrying = .constant(.milliseconds(2), retries: nil)
        let subscriber = TestSubscriber<MessageEvent, RedisError>.checked(demand)
        Redis(server.url, options: options)
            .messages(
                channels: channels, patterns: patterns, whenFull: whenFull, failsWhenInterrupted: failsWhenInterrupted
            ).subscribe(subscriber)
        if demand == .none { return subscriber }
        listeners(server, channels.count, patterns.count)
        return subscriber
    }

    private func listeners(_ server: RealServer, _ channels: Int, _ patterns: Int = 0) {
        eventually("the subscription") {
            (try? server.number("PUBSUB", "NUMPAT")) == patterns
                && (try? server.makeRequest("PUBSUB", "CHANNELS").elements?.count) == channels
        }
    }

    private func message(_ text: Bytes, _ channel: Bytes = "news", _ pattern: Bytes? = nil) -> MessageEvent {
        .message(RedisMessage(channel: channel, pattern: pattern, payload: text))
    }

    private func numbers(_ events: [MessageEvent]) -> [Int] {
        events.compactMap { event in
            if case .message(let message) = event { Int(String(message.payload)) } else { nil }
        }
    }

    /// How many messages have been delivered or counted.
    private func reported(_ events: [MessageEvent]) -> Int {
        events.reduce(0) { count, event in
            switch event {
            case .message: count + 1
            case .dropped(let dropped): count + dropped
            case .interrupted: count
            }
        }
    }

    func test_publishesMessagesOfChannelsAndPatterns() throws {
        let server = try RealServer.shared()
        let subscriber = try listen(server, channels: ["news", "other"], patterns: ["log.*"])
        try server.makeRequest("PUBLISH", "news", "one")
        try server.makeRequest("PUBLISH", "nobody", "two")
        try server.makeRequest("PUBLISH", "log.x", "three")
        try server.makeRequest("PUBLISH", "other", "")
        subscriber.count(3)
        XCTAssertEqual(
            subscriber.values, [message("one"), message("three", "log.x", "log.*"), message("", "other")])
        subscriber.cancel()
        listeners(server, 0)
    }

    func test_listensFromTheFirstRequestOn() throws {
        let server = try RealServer.shared()
        let subscriber = try listen(server, .none)
        XCTAssertEqual(try server.number("PUBLISH", "news", "one"), 0)
        subscriber.request(.max(1))
        listeners(server, 1)
        try server.makeRequest("PUBLISH", "news", "two")
        subscriber.count(1)
        XCTAssertEqual(subscriber.values, [message("two")])
        subscriber.cancel()
    }

    func test_dropsAndCountsWhatIsNotRequested() throws {
        let server = try RealServer.shared()
        for whenFull in [MessageOverflow.dropOldest(2), .dropNewest(2), .dropOldest(0), .dropNewest(0)] {
            let subscriber = try listen(server, .first(1), whenFull: whenFull)
            // All at once, and far more than will be requested.
            try server.makeRequest("EVAL", "for i = 1, 1000 do redis.call('PUBLISH', 'news', i) end", "0")
            var ends = 0
            eventually("a later message, and all others delivered or counted") {
                subscriber.request(.max(1))
                ends += (try? server.makeRequest("PUBLISH", "news", "end")) == nil ? 0 : 1
                return subscriber.values.contains(message("end")) && reported(subscriber.values) >= 1_000
            }
            subscriber.cancel()
            XCTAssertLessThanOrEqual(reported(subscriber.values), 1_000 + ends)
            let numbers = numbers(subscriber.values)
            XCTAssertEqual(numbers, numbers.sorted())
            XCTAssertEqual(Set(numbers).count, numbers.count)
            XCTAssertLessThan(numbers.count, 900)
            listeners(server, 0)
        }
    }

    func test_failsByChoiceWhenThereIsNoRoom() throws {
        let server = try RealServer.shared()
        let subscriber = try listen(server, .first(1), whenFull: .fail(2))
        try server.makeRequest("EVAL", "for i = 1, 1000 do redis.call('PUBLISH', 'news', i) end", "0")
        eventually("the failure") {
            subscriber.request(.max(1))
            return subscriber.completion != nil
        }
        XCTAssertEqual(subscriber.ending()?.failure?.reason, .overflow(2))
        // What waited comes before the failure, without a gap.
        XCTAssertGreaterThanOrEqual(subscriber.values.count, 3)
        XCTAssertEqual(numbers(subscriber.values), Array(1...subscriber.values.count))
        listeners(server, 0)
    }

    func test_reportsThatTheConnectionWasLost() throws {
        let server = try RealServer.shared()
        let subscriber = try listen(server)
        try server.makeRequest("PUBLISH", "news", "one")
        subscriber.count(1)
        try server.makeRequest("CLIENT", "KILL", "TYPE", "pubsub")
        subscriber.count(2)
        guard case .interrupted(let error) = subscriber.values[1] else { return XCTFail("\(subscriber.values)") }
        XCTAssertEqual(error.reason, .closed)
        listeners(server, 1)
        try server.makeRequest("PUBLISH", "news", "two")
        subscriber.count(3)
        XCTAssertEqual(subscriber.values[2], message("two"))
        subscriber.cancel()
    }

    func test_reportsOnceWhatWasLostWhileNothingWasRequested() throws {
        for room in [0, 1] {
            let server = try RealServer.shared()
            let subscriber = try listen(server, .first(1), whenFull: .dropOldest(room))
            try server.makeRequest("PUBLISH", "news", "one")
            subscriber.count(1)
            for _ in 0..<3 {
                try server.makeRequest("CLIENT", "KILL", "TYPE", "pubsub")
                listeners(server, 1)
                try server.makeRequest("PUBLISH", "news", "two")
            }
            // With its reply, what was published before has come.
            try server.makeRequest("CLIENT", "KILL", "TYPE", "pubsub")
            listeners(server, 1)
            subscriber.request(.unlimited)
            try server.makeRequest("PUBLISH", "news", "three")
            eventually("the last message") { subscriber.values.last == message("three") }
            let interruptions = subscriber.values.filter { if case .interrupted = $0 { true } else { false } }
            XCTAssertLessThanOrEqual(interruptions.count, room + 1, "\(subscriber.values)")
            subscriber.cancel()
            listeners(server, 0)
        }
    }

    func test_failsByChoiceWhenTheConnectionIsLost() throws {
        let server = try RealServer.shared()
        let subscriber = try listen(server, failsWhenInterrupted: true)
        try server.makeRequest("CLIENT", "KILL", "TYPE", "pubsub")
        XCTAssertEqual(subscriber.ending()?.failure?.reason, .closed)
    }

    func test_failsWhenTheServerRefuses() throws {
        let server = try RealServer()
        try server.makeRequest("ACL", "SETUSER", "ada", "on", ">p", "resetchannels", "+@all")
        let subscriber = TestSubscriber<MessageEvent, RedisError>.checked(.unlimited)
        Redis(server.url + "?user=ada&password=p").messages(channels: ["news"]).subscribe(subscriber)
        XCTAssertEqual(subscriber.ending()?.failure?.code, "NOPERM")
    }
}
