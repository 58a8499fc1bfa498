/// The places of the entries that a consumer holds.
///
/// A hold ends by this process's own clock: what the server has not confirmed in time may be another's by now, whether or
/// not the server can be asked.
final class HoldTable: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Held {
        let id: EntryID
        let start: Instant
        /// When the hold ends unless it is renewed.
        var end: Instant
        var isLost = false
        var isGivenUp = false
    }

    private struct State {
        /// A hold knows its place, so adding and releasing one search for nothing.
        var places: [Held?] = []
        /// The places of holds that have been released, for others.
        var free: [Int] = []
        var isWaiting = false
        /// How many renewals have no reply yet.
        var renewals = 0
        /// Whether a reply came late: the next renewal is due.
        var isLate = false

        mutating func add(_ held: Held) -> Int {
            if let place = free.popLast() {
                places[place] = held
                return place
            }
            places.append(held)
            return places.count - 1
        }
    }

    /// An entry to be renewed, and its place.
    private typealias Place = (number: Int, id: EntryID)

    let group: DeliveryGroup
    private let state = Guarded(State())
    private let alarm = AlarmSlot()

    init(_ group: DeliveryGroup) { self.group = group }

    /// Adds a hold.
    ///
    /// - Parameters:
    ///   - time: When the entry was asked for: the server has delivered it later.
    ///   - again: Whether the entry has been delivered before: an earlier hold is lost then.
    /// - Returns: Its place.
    func add(_ id: EntryID, since time: Instant, again: Bool) -> Int {
        if again { lose(id) }
        let held = Held(id: id, start: time, end: time + group.idleTime)
        let (place, isFirst) = state.withLock { state in
            defer { state.isWaiting = true }
            return (state.add(held), !state.isWaiting)
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

    func isHeld(_ place: Int) -> Bool {
        guard let held = state.withLock({ $0.places[place] }), !held.isLost else { return false }
        return group.takeOverAfter == nil || ContinuousClock.now < held.end
    }

    /// The entries that are worked on, but for those that have been given up.
    var ids: Set<EntryID> {
        state.withLock { Set($0.places.lazy.compactMap { $0.flatMap { $0.isGivenUp ? nil : $0.id } }) }
    }

    /// Ends the holds on an entry, or all of them.
    func lose(_ id: EntryID? = nil) {
        state.withLock { state in
            for place in state.places.indices where id == nil || state.places[place]?.id == id {
                state.places[place]?.isLost = true
            }
        }
    }

    func stop() {
        alarm.cancel()
    }

    private func wait() {
        alarm.set(after: group.idleTime / 3) { [self] in turn() }
    }

    private func turn() {
        let isWaiting = state.withLock { state in
            state.isWaiting = state.free.count < state.places.count
            return state.isWaiting
        }
        if !isWaiting { return }
        renew()
        wait()
    }

    /// Renews what is held, unless the replies to earlier renewals are still due: they are sent until they arrive.
    private func renew() {
        let now = ContinuousClock.now
        var givenUp: [EntryID] = []
        let places: [Place] = state.withLock { state in
            if state.renewals > 0 { return [] }
            state.isLate = false
            var places: [Place] = []
            for number in state.places.indices {
                guard let held = state.places[number], !held.isLost, !held.isGivenUp else { continue }
                if let longest = group.longestWork, now - held.start >= longest {
                    state.places[number]?.isGivenUp = true
                    givenUp.append(held.id)
                } else {
                    places.append((number, held.id))
                }
            }
            state.renewals = (places.count + Self.most - 1) / Self.most
            return places
        }
        for id in givenUp { group.stream.redis.notify(.workTooLong(stream: group.stream.key, id: id)) }
        for some in places.parts(of: Self.most) { renew(some, now) }
    }

    /// In parts, because the server does nothing else while it runs a script.
    private static let most = 256

    private func renew(_ places: [Place], _ time: Instant) {
        let arguments = [group.group, group.consumer] + places.map(\.id.bytes)
        group.stream.redis.send(Script.renewing.run([group.stream.key], arguments), .repeated) { [self] reply in
            switch reply {
            case .success(let lost):
                confirm(places, Set(lost.elements?.compactMap { $0.bytes.flatMap { EntryID($0) } } ?? []), time)
            case .failure(let error):
                if error.isLostGroup {
                    confirm(places, Set(places.map(\.id)), time)
                } else {
                    group.stream.redis.notify(.renewalFailed(error))
                }
            }
            let isDue = state.withLock { state in
                state.renewals -= 1
                return state.renewals == 0 && state.isLate
            }
            if isDue { renew() }
        }
    }

    private func confirm(_ places: [Place], _ lost: Set<EntryID>, _ time: Instant) {
        let isLate = ContinuousClock.now - time > group.idleTime / 3
        state.withLock { state in
            if isLate { state.isLate = true }
            for place in places where state.places[place.number]?.id == place.id {
                if lost.contains(place.id) {
                    state.places[place.number]?.isLost = true
                } else {
                    state.places[place.number]?.end = time + group.idleTime
                }
            }
        }
    }
}
