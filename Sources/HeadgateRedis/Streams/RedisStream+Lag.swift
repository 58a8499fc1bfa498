@preconcurrency import Dispatch
import Headgate
import HeadgateCore

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
        checkLag(every: time)
        return Publishers.emitter(GroupLag.self, failure: RedisError.self, buffering: .bounded(1, .dropNewest)) {
            emitter in
            let source = PollingSource(time, emitter) { answer in
                redis.send(Script.lag(keys: [key], [group]), .repeated) { answer($0.lag(at: redis)) }
            }
            source.start()
        }
        .eraseToAnyPublisher()
    }
}

/// Traps unless a lag can be asked for at these intervals.
func checkLag(every time: Duration) {
    if time >= .milliseconds(1) { return }
    programmerError(
        rule: "A group's lag is asked for after at least a millisecond.", found: "every: \(time)",
        remedy: "Pass a time in which it may change.")
}

extension Outcome<RedisValue> {
    fileprivate func lag(at redis: Redis) -> Result<GroupLag, RedisError> {
        switch self {
        case .failure(let error), .lost(let error): return .failure(error)
        case .value(let value):
            guard let facts = value.elements, facts.count == 4 else {
                return .failure(RedisError(.unexpected("\(value)"), command: "XINFO", address: redis.description))
            }
            let age = facts[3].integer ?? -1
            return .success(
                GroupLag(
                    waiting: facts[0].integer.map { Int($0) }, pending: Int(facts[1].integer ?? 0),
                    consumers: Int(facts[2].integer ?? 0), age: age < 0 ? nil : .milliseconds(age)))
        }
    }
}

/// Asks the server again and again, for one subscriber: at most once in a time, and only for what is requested.
final class PollingSource<Output: Sendable>: Sendable {
    typealias Answer = @Sendable (Result<Output, RedisError>) -> Void

    private struct State {
        var isBusy = false
        var isOver = false
        var next = ContinuousClock.now
    }

    private let time: Duration
    private let emitter: Emitter<Output, RedisError>
    private let question: @Sendable (@escaping Answer) -> Void
    private let state = Guarded(State())
    private let alarm = AlarmSlot()

    init(
        _ time: Duration, _ emitter: Emitter<Output, RedisError>,
        _ question: @escaping @Sendable (@escaping Answer) -> Void
    ) {
        self.time = time
        self.emitter = emitter
        self.question = question
    }

    func start() {
        emitter.onCancel { self.stop() }
        emitter.onRequest { _ in self.proceed() }
    }

    private func stop() {
        state.withLock { $0.isOver = true }
        alarm.cancel()
    }

    private func proceed() {
        let pause: Duration? = state.withLock { state in
            if state.isBusy || state.isOver || emitter.demand == .none { return nil }
            state.isBusy = true
            return state.next - .now
        }
        guard let pause else { return }
        if pause <= .zero { return ask() }
        alarm.set(after: pause) { [weak self] in self?.ask() }
        if state.withLock({ $0.isOver }) { alarm.cancel() }
    }

    private func ask() {
        question { [weak self] answer in self?.take(answer) }
    }

    private func take(_ answer: Result<Output, RedisError>) {
        switch answer {
        case .failure(let error): emitter.fail(error)
        case .success(let value):
            emitter.send(value)
            state.withLock { state in
                state.isBusy = false
                state.next = .now + time
            }
            proceed()
        }
    }
}
