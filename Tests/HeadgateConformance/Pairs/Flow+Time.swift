// Operators in which time passes.
extension Flow {
    /// Every event later by some time.
    ///
    /// One that has room for everything has read it all before time passes.
    func delay(_ stride: Int) -> Flow {
        Flow { time, reading in
            let upstream = begin(time, reading)
            var waiting: [Moment] = []
            var ahead: Moment?
            return {
                if reading.takesEverything, waiting.isEmpty {
                    ahead = ahead ?? upstream()
                    // Also what arrives before the first is delivered: it may never end.
                    let due = ahead.map { $0.time + stride } ?? time
                    while let moment = ahead, waiting.isEmpty || moment.time < due {
                        waiting.append(moment)
                        ahead = moment.event.isEnd ? nil : upstream()
                    }
                }
                guard
                    var moment = reading.takesEverything ? (waiting.isEmpty ? nil : waiting.removeFirst()) : upstream()
                else { return nil }
                moment.time += stride
                return moment
            }
        }
    }

    /// Subscribes later.
    func begin(after stride: Int) -> Flow { Flow { begin($0 + stride, $1) } }

    /// Groups of events that have the same time, each with the time of the next one.
    private func instants(_ time: Int, _ reading: Reading) -> () -> (time: Int, events: [Event], next: Int?)? {
        let upstream = begin(time, reading)
        var ahead: Moment?
        var isOver = false
        return {
            if isOver { return nil }
            guard let first = ahead ?? upstream() else { return nil }
            var events = [first.event]
            ahead = nil
            while !events.last!.isEnd, let moment = upstream() {
                if moment.time > first.time {
                    ahead = moment
                    break
                }
                events.append(moment.event)
            }
            isOver = events.last!.isEnd
            return (first.time, events, ahead?.time)
        }
    }

    /// Replaces the events of each instant by others, that come at their own times.
    func eachInstant<State>(
        _ initial: State,
        _ replace:
            @escaping (
                _ state: inout State, _ time: Int, _ events: [Event], _ next: Int?, _ reading: Reading
            ) -> [Moment]
    ) -> Flow {
        Flow { time, reading in
            let instants = instants(time, reading)
            var state = initial
            var pending: [Moment] = []
            var isOver = false
            return {
                while !isOver {
                    if !pending.isEmpty {
                        let moment = pending.removeFirst()
                        isOver = moment.event.isEnd
                        return moment
                    }
                    guard let (time, events, next) = instants() else { return nil }
                    pending = replace(&state, time, events, next, reading)
                }
                return nil
            }
        }
    }

    /// The last value of an instant, when nothing has followed for a time that depends on it; at once before the end.
    func debounce(_ stride: @escaping (Int) -> Int) -> Flow {
        eachInstant(Int?.none) { waiting, time, events, next, reading in
            for case .value(let value) in events { waiting = value }
            if let end = events.last, end.isEnd {
                return ((waiting.map { [.value($0)] } ?? []) + [end]).map { Moment(time: time, event: $0) }
            }
            guard let value = waiting else { return [] }
            let due = time + stride(value)
            if next == due { reading.isAmbiguous = true }
            if let next, next <= due { return [] }
            waiting = nil
            return [Moment(time: due, event: .value(value))]
        }
    }

    /// Numbers made of the values of the most recent span, at intervals that begin with a value and last until none is left.
    func sliding(within span: Int, every interval: Int) -> Flow {
        typealias State = (values: [(time: Int, value: Int)], tick: Int?, isNew: Bool)
        return eachInstant(([], nil, false) as State) { state, time, events, next, reading in
            func recent(_ now: Int) -> [Int] {
                state.values.removeAll { $0.time + span <= now }
                return state.values.map(\.value)
            }
            for case .value(let value) in events {
                state.values.append((time, value))
                state.tick = state.tick ?? time + interval
                state.isNew = true
            }
            if let end = events.last, end.isEnd {
                let last: [Event] = state.isNew && end == .finished ? [.value(recent(time).number)] : []
                return (last + [end]).map { Moment(time: time, event: $0) }
            }
            var moments: [Moment] = []
            while let tick = state.tick, next.map({ tick <= $0 }) ?? true {
                if tick == next { reading.isAmbiguous = true }
                let values = recent(tick)
                state.isNew = false
                state.tick = values.isEmpty ? nil : tick + interval
                moments.append(Moment(time: tick, event: .value(values.number)))
            }
            return moments
        }
    }

    /// The last value of an instant, when nothing has followed for some time; before the end, when that is delivered.
    func debounce(_ stride: Int) -> Flow {
        eachInstant(Event?.none) { waiting, time, events, next, reading in
            waiting = events.last { !$0.isEnd } ?? waiting
            guard let end = events.last, end.isEnd else {
                let due = time + stride
                if next == due { reading.isAmbiguous = true }
                if let next, next <= due { return [] }
                return waiting.take().map { [Moment(time: due, event: $0)] } ?? []
            }
            // Scheduled for now.
            return ((waiting.map { [$0] } ?? []) + [end]).map { Moment(time: time + 1, event: $0) }
        }
    }
}
