import HeadgateVerification

/// What a publisher publishes, as a list of events with their times: the model that pairs of operators are compared with.
///
/// A flow knows lists, and nothing of subscriptions, demand or threads. It is read lazily, so it may be endless. What publishers
/// do at once happens at the time at which the flow begins, in the order in which it is read: depth first.
struct Flow {
    enum Event: Equatable {
        case value(Int)
        case finished
        case failed

        var isEnd: Bool { self == .finished || self == .failed }
    }

    struct Moment: Equatable {
        var time: Int
        var event: Event
    }

    /// Reads one event after the other; `nil` means that none will ever come, as after the end.
    typealias Reader = () -> Moment?

    /// The length of a second on the clock of events.
    ///
    /// Work that is scheduled for now runs one unit later.
    static let second = 1000

    /// Begins at a time.
    let begin: (_ time: Int, _ reading: Reading) -> Reader
}

/// One reading of a flow.
final class Reading {
    private final class Count {
        var remaining: Int
        var isEndless = false
        var isAmbiguous = false
        var endsTogether = false

        init(_ remaining: Int) { self.remaining = remaining }
    }

    /// Whether everything is requested at once.
    ///
    /// Operators that have room for all of it then read all that is there.
    let takesEverything: Bool

    private let count: Count

    /// - Parameter limit: The number of elements that sources may give in all.
    init(takesEverything: Bool, limit: Int) {
        self.takesEverything = takesEverything
        count = Count(limit)
    }

    private init(_ count: Count, takesEverything: Bool) {
        self.takesEverything = takesEverything
        self.count = count
    }

    /// The same reading for a part of which everything is requested, or not.
    func taking(everything: Bool) -> Reading { Reading(count, takesEverything: everything) }

    /// Reads on without counting, to see what may come at the same time; `nil` also where that would never end.
    func lookAhead(_ read: () -> Flow.Moment?) -> (moment: Flow.Moment?, isEndless: Bool) {
        let (remaining, wasEndless) = (count.remaining, count.isEndless)
        let moment = read()
        defer { count.isEndless = wasEndless }
        if !count.isEndless { return (moment, false) }
        if !wasEndless { count.remaining = remaining }
        // What was made of some of the elements that never end is no event.
        return (nil, true)
    }

    /// Notes that reading would go on for ever.
    func giveUp() { count.isEndless = true }

    /// Whether the model reads without end, so that nothing can be said about what comes out.
    var isEndless: Bool { count.isEndless }

    /// Whether two events of the same time may come in either order.
    var isAmbiguous: Bool {
        get { count.isAmbiguous }
        set { count.isAmbiguous = newValue }
    }

    /// Whether several flows have ended together, so that the end of one may have been read, or not.
    var endsTogether: Bool {
        get { count.endsTogether }
        set { count.endsTogether = newValue }
    }

    /// Counts an element of a source.
    func read() -> Bool {
        count.remaining -= 1
        if count.remaining < 0 { count.isEndless = true }
        return !isEndless
    }
}

// Sources.
extension Flow {
    /// All elements at once, and an end.
    static func list(_ values: some Sequence<Int>, _ end: Event? = .finished) -> Flow {
        Flow { time, reading in
            var iterator = values.makeIterator()
            var end = end
            return {
                guard reading.read() else { return nil }
                if let value = iterator.next() { return Moment(time: time, event: .value(value)) }
                defer { end = nil }
                return end.map { Moment(time: time, event: $0) }
            }
        }
    }

    static var failure: Flow { list([], .failed) }

    /// The events of a subject, of which one that joins later receives only the later ones, and the end.
    static func hot(_ moments: [Moment]) -> Flow {
        Flow { time, reading in
            var rest = moments.drop { $0.time <= time && !$0.event.isEnd }
            return {
                guard reading.read(), let moment = rest.popFirst() else { return nil }
                return Moment(time: max(time, moment.time), event: moment.event)
            }
        }
    }
}

// Operators that look at one event after the other.
extension Flow {
    /// Replaces each event by any number of others, at the same time.
    ///
    /// The first end that comes out ends the flow.
    func step<State>(
        _ initial: State, opening: [Event] = [], _ step: @escaping (inout State, Event) -> [Event]
    ) -> Flow {
        Flow { time, reading in
            let upstream = begin(time, reading)
            var state = initial
            var (now, isOver) = (time, false)
            var pending = opening[...]
            return {
                while !isOver {
                    if let event = pending.popFirst() {
                        isOver = event.isEnd
                        return Moment(time: now, event: event)
                    }
                    guard let moment = upstream() else { return nil }
                    now = moment.time
                    pending = step(&state, moment.event)[...]
                }
                return nil
            }
        }
    }

    /// The same, of which everything is requested, or not.
    func taking(everything: Bool) -> Flow { Flow { begin($0, $1.taking(everything: everything)) } }

    /// The same; notes if a failure comes together with a value, before which it may come out.
    var failingAtOnce: Flow {
        Flow { time, reading in
            let upstream = begin(time, reading)
            var ahead: (moment: Moment?, isEndless: Bool)?
            return {
                if ahead?.isEndless == true { reading.giveUp() }
                let moment = ahead.map(\.moment) ?? upstream()
                guard let moment, !moment.event.isEnd else { return moment }
                let next = reading.lookAhead(upstream)
                ahead = next
                if let next = next.moment, next.event == .failed, next.time == moment.time {
                    reading.isAmbiguous = true
                }
                return moment
            }
        }
    }

    /// The same; notes any failure, before which values may be lost that were read ahead.
    var failingEarly: Flow {
        Flow { time, reading in
            let upstream = begin(time, reading)
            var ahead: [Moment] = []
            var isOver = false
            var isEndless = false
            return {
                while ahead.count < 20, !isOver {
                    let next = reading.lookAhead(upstream)
                    if let moment = next.moment { ahead.append(moment) }
                    isOver = next.moment?.event.isEnd ?? true
                    isEndless = next.isEndless
                }
                if ahead.last?.event == .failed { reading.isAmbiguous = true }
                if ahead.isEmpty, isEndless { reading.giveUp() }
                return ahead.isEmpty ? nil : ahead.removeFirst()
            }
        }
    }

    /// One flow for all that read it: the first reads it all, later ones the last values and the end.
    ///
    /// - Parameters:
    ///   - failures: Whether a failure is kept, too.
    ///   - isKept: Whether values are kept when the first has stopped reading before the end, and another reads anew.
    func shared(replaying count: Int = 0, failures: Bool = true, isKept: Bool = false) -> Flow {
        final class Memory {
            var values: [Event] = []
            var end: Event?
        }
        let memory = Memory()
        return Flow { time, reading in
            if memory.end != nil, reading.endsTogether { reading.isAmbiguous = true }
            if let end = memory.end, failures || end != .failed {
                var rest = (memory.values.suffix(count) + [end])[...]
                return { rest.popFirst().map { Moment(time: time, event: $0) } }
            }
            var kept = memory.values.suffix(isKept ? count : 0)
            memory.values = Array(kept)
            let upstream = begin(time, reading)
            return {
                if let event = kept.popFirst() { return Moment(time: time, event: event) }
                guard let moment = upstream() else { return nil }
                if moment.event.isEnd { memory.end = moment.event } else { memory.values.append(moment.event) }
                return moment
            }
        }
    }

    /// Replaces each value by others.
    func expand(_ transform: @escaping (Int) -> [Event]) -> Flow {
        step(()) { _, event in if case .value(let value) = event { transform(value) } else { [event] } }
    }

    func map(_ transform: @escaping (Int) -> Int) -> Flow { expand { [.value(transform($0))] } }

    func filter(_ isIncluded: @escaping (Int) -> Bool) -> Flow { expand { isIncluded($0) ? [.value($0)] : [] } }

    /// Replaces each value by others, with a state.
    func scan<State>(_ initial: State, _ next: @escaping (inout State, Int) -> [Event]) -> Flow {
        step(initial) { state, event in
            if case .value(let value) = event { next(&state, value) } else { [event] }
        }
    }

    /// Fails in place of the value 9.
    var unlessNine: Flow { expand { $0 == 9 ? [.failed] : [.value($0)] } }

    func prefix(_ count: Int) -> Flow {
        if count == 0 { return .list([]) }
        return scan(0) { number, value in
            number += 1
            return number < count ? [.value(value)] : [.value(value), .finished]
        }
    }

    func dropFirst(_ count: Int) -> Flow {
        scan(0) { number, value in
            number += 1
            return number > count ? [.value(value)] : []
        }
    }

    /// Publishes results made of all values when they end without a failure.
    func atEnd(_ results: @escaping ([Int]) -> [Int]) -> Flow {
        step([Int]()) { values, event in
            switch event {
            case .value(let value):
                values.append(value)
                return []
            case .finished: return results(values).map(Event.value) + [.finished]
            case .failed: return [.failed]
            }
        }
    }

    /// Publishes numbers made of several values: a group ends with the value with which it is full.
    func chunks(restBeforeFailure: Bool = false, _ isFull: @escaping ([Int]) -> Bool) -> Flow {
        step([Int]()) { group, event in
            switch event {
            case .value(let value):
                group.append(value)
                guard isFull(group) else { return [] }
                defer { group = [] }
                return [.value(group.number)]
            case .failed where !restBeforeFailure: return [.failed]
            case .finished, .failed: return (group.isEmpty ? [] : [.value(group.number)]) + [event]
            }
        }
    }

    /// Drops values that were there before; `count` of those are remembered.
    func distinct(rememberingLast count: Int = .max, by key: @escaping (Int) -> Int = { $0 }) -> Flow {
        scan([Int]()) { known, value in
            if known.contains(key(value)) { return [] }
            known = (known + [key(value)]).suffix(count)
            return [.value(value)]
        }
    }
}

extension Sequence where Element == Int {
    /// A number that tells lists apart: its digits to the base 37, so to speak.
    var number: Int { reduce(1) { $0 &* 37 &+ $1 } }
}
