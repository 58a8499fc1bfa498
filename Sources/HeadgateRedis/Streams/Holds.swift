import HeadgateCore

/// The entries that a consumer holds, renewed on the shared connection for as long as their deliveries are referenced,
/// even after their stream has been cancelled.
final class Holds: Sendable {
    /// Apart from this, so that alarms retain it: an object to which a weak reference exists is retained slowly, and each
    /// delivery retains this.
    private let table: HoldTable

    init(_ group: DeliveryGroup) { table = HoldTable(group) }

    deinit { table.stop() }

    var group: DeliveryGroup { table.group }

    /// Adds a hold.
    ///
    /// - Parameter again: Whether the entry has been delivered before: an earlier hold is lost then.
    /// - Returns: Its place.
    func add(_ id: EntryID, again: Bool) -> Int {
        if again { table.lose([id]) }
        return table.add(id)
    }

    func release(_ place: Int) { table.release(place) }

    func isHeld(_ place: Int) -> Bool { table.isHeld(place) }

    /// The entries that are held.
    var ids: Set<EntryID> { table.ids }

    /// Called when the group is lost.
    func loseAll() { table.lose(ids) }
}

/// The places of the entries that a consumer holds.
private final class HoldTable: Sendable {
    private struct Held {
        let id: EntryID
        var isLost = false
    }

    private struct State {
        /// A hold knows its place, so adding and releasing one search for nothing.
        var places: [Held?] = []
        var free: [Int] = []
        var isWaiting = false
        var alarm: AnyCancellable?

        var isEmpty: Bool { free.count == places.count }
    }

    let group: DeliveryGroup
    private let state = Guarded(State())

    init(_ group: DeliveryGroup) { self.group = group }

    func add(_ id: EntryID) -> Int {
        let (place, isFirst) = state.withLock { state in
            defer { state.isWaiting = true }
            if let place = state.free.popLast() {
                state.places[place] = Held(id: id)
                return (place, !state.isWaiting)
            }
            state.places.append(Held(id: id))
            return (state.places.count - 1, !state.isWaiting)
        }
        if isFirst { wait() }
        return place
    }

    func release(_ place: Int) {
        state.withLock { state in
            state.places[place] = nil
            state.free.append(place)
        }
    }

    func isHeld(_ place: Int) -> Bool { state.withLock { $0.places[place]?.isLost == false } }

    var ids: Set<EntryID> { state.withLock { Set($0.places.lazy.compactMap { $0?.id }) } }

    func lose(_ ids: Set<EntryID>) {
        if ids.isEmpty { return }
        state.withLock { state in
            for place in state.places.indices {
                if let id = state.places[place]?.id, ids.contains(id) { state.places[place]?.isLost = true }
            }
        }
    }

    func stop() {
        let alarm = state.withLock { $0.alarm.take() }
        alarm?.cancel()
    }

    private func wait() {
        guard let time = group.takeOverAfter else { return }
        let alarm = Pipeline.alarm.after(time / 3) { [self] in renew() }
        let old = state.withLock { exchange(&$0.alarm, with: alarm) }
        withExtendedLifetime(old) {}
    }

    private func renew() {
        let (ids, isWaiting): ([EntryID], Bool) = state.withLock { state in
            state.isWaiting = !state.isEmpty
            return (state.places.compactMap { $0.flatMap { $0.isLost ? nil : $0.id } }, state.isWaiting)
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
        ) { [self] reply in
            switch reply {
            case .value(let lost): lose(Set(lost.elements?.compactMap { $0.bytes.flatMap { EntryID($0) } } ?? []))
            case .failure, .lost: lose(Set(ids))
            }
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
    /// how often it was delivered, and to whom last. Moving and acknowledging are one step: both are done or neither. An
    /// entry of more than 3,900 fields, which no script of the server can add, is delivered again instead.
    case atMost(Int, then: RedisStream)
}

/// What happens when a group, or the key that it belongs to, has vanished.
public enum LostGroupPolicy: Hashable, Sendable {
    /// The group is created again, from the beginning of what is there, and ``Redis/events`` reports it.
    case createAgain
    /// The stream fails.
    case fail
}
