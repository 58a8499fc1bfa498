import Headgate
import HeadgateRedis

/// Limits and times of streams in Redis at which nothing could pass.
enum RedisMistakes {
    static func make(_ name: Substring) {
        let redis = Redis("redis://127.0.0.1")
        let stream = redis.stream("s")
        let partitions = redis.partitions("s", count: 2)
        let fields = Empty<EntryFields, RedisError>()
        let deliveries = Empty<Delivery, RedisError>()
        var options = RedisOptions()
        switch name {
        case "no entry under way": _ = fields.add(to: stream, maxInFlight: 0)
        case "about fewer than no entries": _ = fields.add(to: stream, trimming: .toAbout(-1))
        case "fewer than no entries": _ = fields.add(to: stream, trimming: .toExactly(-2))
        case "batch of nothing": _ = deliveries.acknowledge(batch: 0)
        case "batch of a negative time": _ = deliveries.acknowledge(within: .milliseconds(-5))
        case "takeover at once":
            _ = stream.deliveries(group: "g", consumer: "c", takeOverAfter: .microseconds(999))
        case "fewer than one delivery":
            _ = stream.deliveries(group: "g", consumer: "c", deliveries: .atMost(0, then: redis.stream("rest")))
        case "rest on another server":
            let other = Redis("redis://127.0.0.1").stream("rest")
            _ = stream.deliveries(group: "g", consumer: "c", deliveries: .atMost(1, then: other))
        case "no partition": _ = redis.partitions("s", count: 0)
        case "fewer than no partitions": _ = redis.partitions("s", count: -3)
        case "partition beyond the last": _ = redis.partitions("s", count: 2).stream(2)
        case "lease of no time": _ = partitions.deliveries(group: "g", worker: "w", lease: .milliseconds(999))
        case "handing over before the beginning":
            _ = partitions.deliveries(group: "g", worker: "w", handingOverWithin: .seconds(-1))
        case "messages of nobody": _ = redis.messages()
        case "room for fewer than no messages": _ = redis.messages(channels: ["c"], whenFull: .dropNewest(-1))
        case "command without a name": _ = redis.command()
        case "transaction of nothing": _ = redis.transaction([])
        case "work of no time": _ = stream.deliveries(group: "g", consumer: "c", longestWork: .zero)
        case "lag all the time": _ = stream.lag(of: "g", every: .zero)
        case "reads of nothing":
            options.readSize = 0
            _ = Redis("redis://127.0.0.1", options: options)
        case "fewer than no attempts":
            options.commandRetries = -1
            _ = Redis("redis://127.0.0.1", options: options)
        case "connecting in no time":
            options.connectingTime = .zero
            _ = Redis("redis://127.0.0.1", options: options)
        case "answers in no time":
            options.answeringTime = .seconds(-1)
            _ = Redis("redis://127.0.0.1", options: options)
        case "idle for less than no time":
            options.idleTime = .seconds(-1)
            _ = Redis("redis://127.0.0.1", options: options)
        default: print("no such mistake")
        }
    }
}
