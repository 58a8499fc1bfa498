/// How far a group is behind its stream.
public struct GroupLag: Hashable, Sendable {
    /// How many entries have not been delivered yet; `nil` where the server does not know: before version 7, and after
    /// entries between have been deleted.
    public let waiting: Int?

    /// How many have been delivered and not acknowledged.
    public let pending: Int

    /// How many consumers the group knows.
    public let consumers: Int

    /// How long the oldest entry that has not been delivered has waited, by the time in its identifier; `nil` if there
    /// is none.
    public let age: Duration?

    /// Creates a lag, for a test.
    public init(waiting: Int?, pending: Int, consumers: Int, age: Duration?) {
        self.waiting = waiting
        self.pending = pending
        self.consumers = consumers
        self.age = age
    }
}

extension RedisStream {
    /// Publishes how far a group is behind, repeatedly.
    ///
    /// ```
    /// lag   1-----1-----0---     every: the time between
    /// ```
    ///
    /// ```swift no-run
    /// let orders = Redis("redis://127.0.0.1").stream("orders")
    /// let watching = orders.lag(of: "billing", every: .seconds(10))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0.pending, $0.age ?? .zero) })
    /// ```
    ///
    /// - **Demand**: the server is asked for each value that is requested, at most once in the time.
    /// - **Completion**: never finishes. Fails if the group does not exist, if the server refuses, and if there is no
    ///   connection for longer than the policy allows.
    /// - **Threads**: as for a command.
    /// - **Complexity**: one script on the server, which takes time proportional to the number of groups.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - time: How long to wait after an answer before the server is asked again. Less than a millisecond traps.
    public func lag(of group: Bytes, every time: Duration = .seconds(5)) -> AnyPublisher<GroupLag, RedisError> {
        redis.answers(every: time) { receive in
            redis.send(Script.lagOfGroup.run([key], [group]), .repeated) { receive($0.flatMap(lag)) }
        }
    }

    private func lag(_ value: RedisValue) -> Result<GroupLag, RedisError> {
        let lag = GroupLag(value.elements ?? [])
        return lag.map { .success($0) } ?? .failure(redis.error(.unexpected("\(value)"), "XINFO"))
    }
}

extension GroupLag {
    /// Reads what the function of the script returns; `nil` if it is something else.
    init?(_ facts: [RedisValue]) {
        guard facts.count >= 4, let age = facts[3].integer else { return nil }
        self.init(
            waiting: facts[0].integer.map { Int($0) }, pending: Int(facts[1].integer ?? 0),
            consumers: Int(facts[2].integer ?? 0), age: age < 0 ? nil : .milliseconds(age))
    }
}
