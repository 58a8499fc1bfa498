/// What has to come out of a chain, by the models of its parts.
struct Expectation {
    private(set) var values: [Int] = []
    private(set) var end: Flow.Event?

    /// Whether it fails, though perhaps after it has been cancelled.
    private let fails: () -> Bool

    /// Whether the model reads for ever.
    let isEndless: Bool

    /// Whether exactly this has to come out, whenever it is requested.
    let isExact: Bool

    private let chain: Chain

    init(_ chain: Chain) {
        self.chain = chain
        let requests = Request.all(in: chain)
        let reading = Reading(takesEverything: requests[0].isForAll, limit: Chain.modelLimit)
        var flow = chain.source.flow
        var isExact = !chain.source.isHot || requests[0].isForAll
        // One that is empty ends while operators connect: what follows it may come before or after what is merged with it.
        let first = flow.begin(0, Reading(takesEverything: true, limit: 1))
        if chain.stages.count > 2, first()?.event.isEnd ?? false { isExact = false }
        var (isEndless, isShifted, isHot) = (false, false, false)
        for (index, (stage, request)) in zip(chain.stages, requests.dropFirst()).enumerated() {
            if stage.traits.contains(.failsAtOnce), !request.isForAll { flow = flow.failingAtOnce }
            if !request.isForAll, chain.readsAhead(index) { flow = flow.failingEarly }
            flow = stage.model(flow).taking(everything: request.isForAll)
            isShifted = isShifted || (stage.traits.contains(.requestsLater) && request.isLate)
            // What arrives later when it is requested later.
            isShifted = isShifted || (stage.traits.contains(.takesTime) && !request.isForAll)
            if chain.mayLoseWhileConnecting(index) { isExact = false }
            defer { isHot = isHot || stage.traits.contains(.sendsByItself) }
            guard stage.traits.contains(.paced) || isHot && stage.traits.contains(.requestsFirst) else { continue }
            if isHot { isExact = false }
            // Others begin before what is requested when time has passed.
            if isShifted { isExact = false }
            // What depends on demand has to be asked for everything at once.
            if !request.isForAll { isExact = false }
            // What takes everything before it is asked for anything does not keep it.
            if stage.traits.contains(.requestsFirst), request.isLate { isExact = false }
            if stage.traits.contains(.requestsAll), !request.isForAll || request.isLate {
                isEndless = chain.source.isEndless
            }
        }
        let read = flow.begin(0, reading)
        while end == nil, values.count < chain.pace.cancelsAfter, let moment = read() {
            if case .value(let value) = moment.event { values.append(value) } else { end = moment.event }
        }
        self.isEndless = isEndless || reading.isEndless
        // What follows may come at the same time, and a failure may overtake values.
        let next = self.isEndless ? nil : reading.lookAhead(read).moment
        self.isExact = isExact && !reading.isAmbiguous && !self.isEndless
        let last = next?.event ?? end
        fails = {
            var last = last
            while let event = last, !event.isEnd { last = reading.lookAhead(read).moment?.event }
            return last == .failed
        }
    }

    /// What is wrong with what came out.
    func difference(from subscriber: PacedSubscriber) -> String? {
        let outcome = "\(subscriber.values)" + (subscriber.end.map { " \($0)" } ?? "")
        let wanted = "\(values)" + (end.map { " \($0)" } ?? "")
        func wrong(_ what: String) -> String { "\(what): \(outcome), and not \(wanted)" }
        if !isExact {
            // It has to end all the same.
            if end != nil, subscriber.end == nil, !subscriber.isCancelled, chain.pace.demand.isSteady, !isEndless {
                return wrong("does not end")
            }
            return nil
        }
        // A failure may overtake values that wait for demand.
        let isLate =
            !chain.pace.demand.isUnlimited
            || chain.pace.demand == .unlimitedLater && chain.stages.contains { $0.traits.contains(.requestsLater) }
        let overtakes = chain.stages.contains { $0.traits.contains(.failsAtOnce) }
        if subscriber.end == .failed, isLate && fails() || overtakes && end != .failed {
            return values.starts(with: subscriber.values) ? nil : wrong("publishes something else")
        }
        let isWaiting = subscriber.hasOutstandingDemand
        let hasAll = subscriber.values == values
        if !values.starts(with: subscriber.values) { return wrong("publishes something else") }
        if !hasAll, isWaiting { return wrong("stalls") }
        if !hasAll, subscriber.end != nil { return wrong("ends too early") }
        if hasAll, subscriber.isCancelled { return nil }
        if hasAll, isWaiting || subscriber.end != nil, subscriber.end != end { return wrong("ends otherwise") }
        return nil
    }
}

/// What is requested of a part of a chain.
private struct Request {
    /// Whether everything is requested, or some values by and by.
    var isForAll: Bool

    /// Whether it comes when the subscription has returned.
    var isLate: Bool

    /// What is requested of the source, and of each stage.
    static func all(in chain: Chain) -> [Request] {
        let demand = chain.pace.demand
        var request = Request(isForAll: demand.isUnlimited, isLate: demand != .unlimited)
        var requests = [request]
        for (index, stage) in chain.stages.enumerated().reversed() {
            if demand == .none, !request.isForAll, chain.waits(index) {
                requests.append(request)
                continue
            }
            if stage.traits.contains(.requestsAll) { request.isForAll = true }
            if stage.traits.contains(.limits) { request.isForAll = false }
            if stage.traits.isSuperset(of: .reduces) { request.isLate = false }
            if stage.traits.contains(.requestsLater) { request.isLate = true }
            requests.append(request)
        }
        return requests.reversed()
    }
}
