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
                    let now = ahead?.time
                    while let moment = ahead, moment.time == now {
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
        _ replace: @escaping (_ state: inout State, _ time: Int, _ events: [Event], _ next: Int?) -> [Moment]
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
                    pending = replace(&state, time, events, next)
                }
                return nil
            }
        }
    }

    /// The last value of an instant, when nothing has followed for some time; at once before the end.
    func debounce(_ stride: Int) -> Flow {
        eachInstant(()) { _, time, events, next in
            var moments: [Moment] = []
            if let value = events.last(where: { !$0.isEnd }) {
                let isEnd = events.last!.isEnd
                if !isEnd, let next, next <= time + stride { return [] }
                moments.append(Moment(time: isEnd ? time + 1 : time + stride, event: value))
            }
            if let end = events.last, end.isEnd {
                moments.append(Moment(time: time + (moments.isEmpty ? 0 : 1), event: end))
            }
            return moments
        }
    }
}
