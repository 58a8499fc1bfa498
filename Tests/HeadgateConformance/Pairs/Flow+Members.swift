import HeadgateVerification

/// Several flows that are read together, in the order of time.
///
/// What a member publishes at the time at which it is added comes first, before what added it goes on: depth first.
final class Members {
    private struct Member {
        let identity: Int
        let read: Flow.Reader
        var next: Flow.Moment?
        var isHeld = false
    }

    private let reading: Reading
    private var members: [Member] = []
    private(set) var now: Int

    /// The identities of those that still publish at the time at which they were added, the most recent one last.
    private var fresh: [Int] = []

    init(_ time: Int, _ reading: Reading) {
        now = time
        self.reading = reading
    }

    func add(_ flow: Flow, _ identity: Int) {
        let read = flow.begin(now, reading)
        members.append(Member(identity: identity, read: read))
        fresh.append(identity)
    }

    func remove(_ identity: Int) { members.removeAll { $0.identity == identity } }

    /// Stops reading a member for now, or goes on with it.
    func hold(_ identity: Int, _ isHeld: Bool) {
        for index in members.indices where members[index].identity == identity { members[index].isHeld = isHeld }
    }

    /// The next event and whose it is.
    func next() -> (identity: Int, event: Flow.Event)? {
        while let identity = fresh.last {
            guard let index = members.firstIndex(where: { $0.identity == identity }), !members[index].isHeld else {
                fresh.removeLast()
                continue
            }
            if let moment = peek(index), moment.time <= now { return take(index) }
            fresh.removeLast()
        }
        let ready = members.indices.filter { !members[$0].isHeld && peek($0) != nil }
        guard let time = ready.map({ max(now, members[$0].next!.time) }).min() else { return nil }
        let first = ready.filter { max(now, members[$0].next!.time) == time }
        if first.count > 1 { reading.isAmbiguous = true }
        now = time
        return take(first[0])
    }

    private func peek(_ index: Int) -> Flow.Moment? {
        if members[index].next == nil { members[index].next = members[index].read() }
        return members[index].next
    }

    private func take(_ index: Int) -> (Int, Flow.Event) {
        defer { members[index].next = nil }
        return (members[index].identity, members[index].next!.event)
    }
}

extension Flow {
    /// Combines the events of several flows, which begin in this order.
    static func combine<State>(
        _ flows: [Flow], _ initial: State,
        _ step: @escaping (_ state: inout State, _ side: Int, _ event: Event) -> [Event]
    ) -> Flow {
        // The list of sides is a member of its own, so that each side publishes before the next one begins.
        joined(.list(flows.indices, nil), initial, flows: { flows[$0] }) { state, side, event, _ in
            side < 0 ? [] : step(&state, side, event)
        }
    }

    /// Begins a flow for each value of an outer one, which has the side -1, and combines the events of all.
    static func joined<State>(
        _ outer: Flow, _ initial: State, atMost limit: Int = .max, latest: Bool = false, first: Bool = false,
        flows: @escaping (Int) -> Flow,
        _ step: @escaping (_ state: inout State, _ side: Int, _ event: Event, _ active: Int) -> [Event]
    ) -> Flow {
        Flow { time, reading in
            let members = Members(time, reading)
            members.add(outer, -1)
            var state = initial
            var active: [Int] = []
            var count = 0
            var pending: [Event] = []
            var isOver = false
            return {
                while !isOver {
                    if !pending.isEmpty {
                        let event = pending.removeFirst()
                        isOver = event.isEnd
                        return Moment(time: members.now, event: event)
                    }
                    guard let (side, event) = members.next() else { return nil }
                    if event.isEnd {
                        members.remove(side)
                        active.removeAll { $0 == side }
                        if active.count < limit { members.hold(-1, false) }
                    } else if side < 0, case .value(let value) = event, !(first && !active.isEmpty) {
                        if latest {
                            active.forEach(members.remove)
                            active = []
                        }
                        members.add(flows(value), count)
                        active.append(count)
                        count += 1
                        if active.count >= limit { members.hold(-1, true) }
                    }
                    pending = step(&state, side, event, active.count)
                }
                return nil
            }
        }
    }

    /// Merges the flows of all values.
    func flatMap(
        atMost limit: Int = .max, latest: Bool = false, first: Bool = false, _ transform: @escaping (Int) -> Flow
    ) -> Flow {
        Flow.joined(self, false, atMost: limit, latest: latest, first: first, flows: transform) {
            isOuterOver, side, event, active in
            switch event {
            case .value: return side < 0 ? [] : [event]
            case .failed: return [.failed]
            case .finished:
                if side < 0 { isOuterOver = true }
                return isOuterOver && active == 0 ? [.finished] : []
            }
        }
    }

    /// Merges flows that have all begun before the first of them is read.
    static func merge(_ flows: [Flow]) -> Flow {
        Flow { time, reading in
            let begun = flows.map { flow in
                let read = flow.begin(time, reading)
                let first = reading.lookAhead(read)
                // It fails or takes everything before the values of the others come out, or after.
                if first.isEndless { reading.giveUp() }
                if first.moment?.event == .failed, first.moment?.time == time { reading.isAmbiguous = true }
                var ahead = first.moment
                return Flow { _, _ in { ahead.take() ?? read() } }
            }
            return Flow.list(begun.indices).flatMap { begun[$0] }.begin(time, reading)
        }
    }

    /// Joins flows of which those that are noted finish in place of failing; fails after that.
    static func delayingFailures(_ join: @escaping (_ noted: @escaping (Flow) -> Flow) -> Flow) -> Flow {
        Flow { time, reading in
            var hasFailed = false
            let joined = join { flow in
                flow.step(()) { _, event in
                    if event == .failed { hasFailed = true }
                    return [event == .failed ? .finished : event]
                }
            }
            return joined.step(()) { _, event in [event == .finished && hasFailed ? .failed : event] }
                .begin(time, reading)
        }
    }

    static func concatenate(_ flows: [Flow]) -> Flow { Flow.list(flows.indices).flatMap(atMost: 1) { flows[$0] } }

    func append(_ other: Flow) -> Flow { .concatenate([self, other]) }
    func prepend(_ other: Flow) -> Flow { .concatenate([other, self]) }

    /// Goes on with another flow after a failure, or after a finish.
    func recover(
        from end: Event = .failed, if matches: @escaping (_ count: Int) -> Bool = { _ in true },
        _ other: @escaping (_ attempt: Int) -> Flow?
    ) -> Flow {
        Flow { time, reading in
            var upstream = begin(time, reading)
            var (attempt, count) = (0, 0)
            return {
                while true {
                    guard let moment = upstream() else { return nil }
                    count += moment.event.isEnd ? 0 : 1
                    guard moment.event == end, matches(count), reading.read(), let next = other(attempt) else {
                        return moment
                    }
                    attempt += 1
                    upstream = next.begin(moment.time, reading)
                }
            }
        }
    }

    /// Rows of one value of each; reads one at a time of each.
    static func zip(_ flows: [Flow]) -> Flow {
        Flow { time, reading in
            let sides = flows.map { $0.failingAtOnce.begin(time, reading) }
            var ahead: [Moment?] = flows.map { _ in nil }
            var (now, isOver) = (time, false)
            return {
                if isOver { return nil }
                for side in sides.indices where ahead[side] == nil { ahead[side] = sides[side]() }
                let ends = ahead.compactMap { $0 }.filter(\.event.isEnd)
                if let end = ends.min(by: { $0.time < $1.time }) {
                    isOver = true
                    if ends.count > 1 { reading.endsTogether = true }
                    if ends.contains(where: { $0.event != end.event }) { reading.isAmbiguous = true }
                    return Moment(time: max(now, end.time), event: end.event)
                }
                let row = ahead.compactMap { $0 }
                guard row.count == flows.count else { return nil }
                ahead = ahead.map { _ in nil }
                now = max(now, row.map(\.time).max()!)
                let values = row.map { if case .value(let value) = $0.event { value } else { 0 } }
                return Moment(time: now, event: .value(values.number))
            }
        }
    }

    /// Rows of the most recent value of each.
    static func combineLatest(_ flows: [Flow]) -> Flow {
        combine(flows, (latest: [Int?](repeating: nil, count: flows.count), ended: Set<Int>())) { state, side, event in
            switch event {
            case .value(let value):
                state.latest[side] = value
                let row = state.latest.compactMap { $0 }
                return row.count == flows.count ? [.value(row.number)] : []
            case .failed: return [.failed]
            case .finished:
                state.ended.insert(side)
                return state.ended.count == flows.count ? [.finished] : []
            }
        }
    }
}
