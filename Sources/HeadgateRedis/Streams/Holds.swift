import HeadgateCore

/// The entries that a consumer holds, renewed on the shared connection for as long as somebody has their deliveries,
/// even after their stream has been cancelled.
final class Holds: Sendable {
    private struct Held {
        /// Which of the holds on an entry that was delivered more than once.
        let number: Int
        var isLost = false
    }

    private struct State {
        var held: [EntryID: Held] = [:]
        var number = 0
        var isWaiting = false
        var alarm: AnyCancellable?
    }

    let group: DeliveryGroup
    private let state = Guarded(State())

    init(_ group: DeliveryGroup) { self.group = group }

    /// Adds a hold.
    ///
    /// - Returns: Its number.
    func add(_ id: EntryID) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.number += 1
            state.held[id] = Held(number: state.number)
            defer { state.isWaiting = true }
            return (state.number, !state.isWaiting)
        }
        if isFirst { wait() }
        return number
    }

    func release(_ id: EntryID, _ number: Int) {
        state.withLock { if $0.held[id]?.number == number { $0.held[id] = nil } }
    }

    func isHeld(_ id: EntryID, _ number: Int) -> Bool {
        state.withLock { state in state.held[id].map { $0.number == number && !$0.isLost } ?? false }
    }

    func contains(_ id: EntryID) -> Bool { state.withLock { $0.held[id] != nil } }

    private func wait() {
        guard let time = group.takeOverAfter else { return }
        let alarm = Pipeline.alarm.after(time / 3) { [weak self] in self?.renew() }
        let old = state.withLock { exchange(&$0.alarm, with: alarm) }
        withExtendedLifetime(old) {}
    }

    private func renew() {
        let (ids, isWaiting): ([EntryID], Bool) = state.withLock { state in
            state.isWaiting = !state.held.isEmpty
            return (state.held.filter { !$0.value.isLost }.map(\.key), state.isWaiting)
        }
        // In parts, because the server does nothing else while it runs a script.
        for start in stride(from: 0, to: ids.count, by: 256) {
            renew(ids[start..<min(ids.count, start + 256)])
        }
        if isWaiting { wait() }
    }

    private func renew(_ ids: ArraySlice<EntryID>) {
        let arguments = [group.group, group.consumer] + ids.map(\.bytes)
        group.stream.redis.send(
            Script.renew(keys: [group.stream.key], arguments), resends: true
        ) { [weak self] reply in
            switch reply {
            case .value(let lost): self?.lose(lost.elements?.compactMap { $0.bytes.flatMap { EntryID($0) } } ?? [])
            case .failure, .lost: self?.lose(Array(ids))
            }
        }
    }

    private func lose(_ ids: [EntryID]) {
        state.withLock { state in
            for id in ids { state.held[id]?.isLost = true }
        }
    }
}

/// What all deliveries of one consumer have in common.
struct DeliveryGroup: Sendable {
    let stream: RedisStream
    let group: Bytes
    let consumer: Bytes
    let takeOverAfter: Duration?
    let limit: DeliveryLimit
    let whenGroupIsLost: LostGroupPolicy
}

/// What happens to an entry that is delivered again and again.
public enum DeliveryLimit: Sendable {
    /// It is delivered until it is acknowledged.
    case unlimited
    /// It is delivered at most so often, and then moved to another stream of the same server.
    ///
    /// There it has its fields, and in addition `headgate-id`, `headgate-count` and `headgate-consumer`: its identifier,
    /// how often it was delivered, and to whom last. Moving and acknowledging are one step: both are done or neither.
    case atMost(Int, then: RedisStream)
}

/// What happens when a group, or the key that it belongs to, has vanished.
public enum LostGroupPolicy: Hashable, Sendable {
    /// The group is created again, from the beginning of what is there, and ``Redis/events`` tells it.
    case createAgain
    /// The stream fails.
    case fail
}
