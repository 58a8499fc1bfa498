import HeadgateCore

extension Trial {
    private var drops: Bool { capabilities.contains(.dropsUnasked) }
    private var merges: Bool { capabilities.contains(.merges) }

    /// Looks at requests that should do nothing.
    func judgeRequest(
        _ move: Move, outstanding: Subscribers.Demand, before: Outcome, after: Outcome
    ) -> Breach? {
        guard case .request(let demand) = move else { return nil }
        let hasChanged = after.values.count != before.values.count || after.ending != before.ending
        let isHot = capabilities.contains(.hot)
        // What was under way before may come now.
        if capabilities.contains(.asynchronous), before.isCancelled || after.ending != before.ending { return nil }
        if before.isOver {
            // What does not stop when it is cancelled comes anyway.
            if isHot, !before.breaches.isEmpty { return nil }
            return after.breaches.count > before.breaches.count || hasChanged
                ? Breach(.lateRequestsDoNothing, "a request after the end or cancel() was answered") : nil
        }
        // Where time passes, a value may have come by itself, or because it was asked for before.
        if pace == .atOnce, isHot || outstanding > .none { return nil }
        return demand == .none && hasChanged ? Breach(.noneIsNothing, "request(.none) was answered") : nil
    }

    /// Looks at a request that upstream has heard of.
    func judgeAsking(_ move: Move, isOver: Bool) -> Breach? {
        guard case .request(let demand) = move else { return nil }
        if isOver {
            return capabilities.contains(.transparent)
                ? nil : Breach(.lateRequestsDoNothing, "a request after the end or cancel() got to upstream")
        }
        return demand == .none ? Breach(.noneIsNothing, "request(.none) asked upstream for values") : nil
    }

    /// Looks whether the failure of an upstream is handed on, where it should be.
    func judgeFailure(_ move: Move, before: Outcome, after: Outcome) -> Breach? {
        guard case .fail = move, capabilities.contains(.fails), !before.isOver, after.ending == "finished" else {
            return nil
        }
        return Breach(.nothingIsLost, "an upstream has failed, and the stream finished")
    }

    /// Looks at the end of a stream that has none of its own.
    func judgeUnexpectedEnd(_ outcome: Outcome) -> [Breach] {
        guard capabilities.contains(.hot), capabilities.isDisjoint(with: [.finite, .fails]), !isOperator,
            outcome.ending != nil
        else { return [] }
        return [Breach(.demandIsNoEnd, "a stream that has no end of its own ended")]
    }

    /// What a move of upstream brings if everything was asked for; `nil` where that can't be told.
    func arrivals(behind history: [Move], of move: Move) -> [String]? {
        // Elsewhere nothing is dropped, or it is not at the time of the move.
        guard drops, !merges, pace != .onWaiting, move.isOfUpstream,
            let before = reference(for: history), let after = reference(for: history + [move])
        else { return nil }
        return Array(after.values.dropFirst(before.values.count))
    }

    /// Looks whether a value that came when it was asked for was dropped.
    func judgeArrivals(
        _ arrivals: [String]?, outstanding: Subscribers.Demand, before: Outcome, after: Outcome
    ) -> Breach? {
        guard let arrivals, !before.isOver, !after.isCancelled else { return nil }
        let owed = arrivals.prefix(outstanding.max ?? arrivals.count)
        let heard = after.values.dropFirst(before.values.count)
        if heard.starts(with: owed) { return nil }
        if heard.count >= owed.count {
            return Breach(.nothingIsLost, "\(heard.first ?? "") in the place of \(owed[0])")
        }
        return Breach(
            outstanding == .unlimited ? .unlimitedAbsorbs : .demandAddsUp,
            "\(outstanding.figure) asked for, \(arrivals.count) came, \(heard.count) delivered")
    }

    /// Compares a run with the run in which everything was asked for.
    func judge(_ outcome: Outcome, against reference: Reference?, isByHand: Bool) -> [Breach] {
        guard let reference else { return [] }
        var breaches = judgeValues(outcome, against: reference).map { [$0] } ?? []
        if outcome.isCancelled || outcome.end == .byTime { return breaches }
        let available = reference.values.count
        let owed = min(owedDemand(outcome).max ?? available, available)
        let heard = outcome.values.count
        if heard < owed, outcome.ending == nil || outcome.end == .byTimeAtLast {
            let rule: Rule = outcome.requested == .unlimited ? .unlimitedAbsorbs : .demandAddsUp
            breaches.append(Breach(rule, "\(outcome.requested.figure) asked for, \(heard) delivered"))
        } else if let ending = outcome.ending {
            if outcome.end == .byTimeAtLast { return breaches }
            breaches += judgeEnd(ending, of: outcome, owed: owed, against: reference, isByHand: isByHand)
        } else if reference.ending != nil {
            let hasAll = heard == available && !(drops && merges) || drops && outcome.requested == .unlimited
            // The end may hide behind values that are left out, and that of another upstream behind demand.
            let isAlone = isByHand && !merges && outcome.requested > .none
            let mayHide = isOperator && !isAlone || capabilities.contains(.leavesValuesOut)
            // Where upstream has ended and nothing comes of it, there is nothing to hide behind.
            let isBare = isByHand && available == 0
            // While the clock stands still, an end may be under way.
            if pace == .whenDue, available == 0 { return breaches }
            if hasAll, isBare || !mayHide || outcome.requested > .max(available) {
                let waitsForDemand = available == 0 || reference.ending != "finished"
                breaches.append(
                    waitsForDemand
                        ? Breach(.oneCompletion, "the end (\(reference.ending ?? "")) waits for demand")
                        : Breach(.endsBehindTheLastValue, "no end behind the last value"))
            }
        }
        return breaches
    }

    /// What has to be delivered whatever the subject may drop.
    private func owedDemand(_ outcome: Outcome) -> Subscribers.Demand {
        drops && !outcome.isFree ? outcome.initialDemand : outcome.requested
    }

    private func judgeValues(_ outcome: Outcome, against reference: Reference) -> Breach? {
        let heard = outcome.values
        // A failure may overtake values, and the more the more is asked for.
        let isCutShort = isOperator && reference.ending != nil && reference.ending != "finished"
        let known = reference.isOpenEnded || isCutShort ? heard.prefix(reference.values.count) : heard[...]
        if outcome.isFree || !drops && !merges {
            if known.elementsEqual(reference.values.prefix(known.count)) { return nil }
            return Breach(.nothingIsLost, "other values than without backpressure, or in another order")
        }
        if merges {
            // What is put together of several upstreams, and dropped, can be anything.
            if drops || isCutShort { return nil }
            if !heard.withoutEach(of: reference.values).isEmpty {
                return Breach(.nothingIsLost, "a value more than without backpressure")
            }
            return keepsTheOrderOfSources(heard)
                ? nil : Breach(.nothingIsLost, "the values of one source in another order")
        }
        let sure = known.prefix(outcome.initialDemand.max ?? 0)
        // Of a stream without an end, only the beginning is known.
        let early = reference.isOpenEnded ? known.prefix(while: reference.values.contains) : known
        if sure.elementsEqual(reference.values.prefix(sure.count)), Array(early).isFoundInOrder(in: reference.values) {
            return nil
        }
        return Breach(.nothingIsLost, "values that do not come without backpressure, or in another order")
    }

    private func keepsTheOrderOfSources(_ heard: [String]) -> Bool {
        var next: [Int: Int] = [:]
        for place in heard.compactMap({ book.places[$0] }) {
            if next[place.source, default: 0] != place.index { return false }
            next[place.source] = place.index + 1
        }
        return true
    }

    private func judgeEnd(
        _ ending: String, of outcome: Outcome, owed: Int, against reference: Reference, isByHand: Bool
    ) -> [Breach] {
        let heard = outcome.values.count
        let due = drops && !outcome.isFree ? owed : reference.values.count
        let mayFailEarly = isOperator && ending == reference.ending && ending != "finished"
        if heard < due {
            if mayFailEarly { return [] }
            return [
                outcome.requested <= .max(heard)
                    ? Breach(.demandIsNoEnd, "an end as soon as demand was used up")
                    : Breach(.nothingIsLost, "an end before all values were delivered")
            ]
        }
        if ending == reference.ending || reference.isOpenEnded { return [] }
        // A failure may tell that something was dropped.
        if drops, ending != "finished", heard < reference.values.count { return [] }
        if reference.ending == nil {
            return [Breach(.demandIsNoEnd, "an end (\(ending)) that does not come without backpressure")]
        }
        // Which of several ends an operator gets to first may depend on demand.
        if isOperator, !isByHand || merges { return [] }
        return [
            Breach(
                .nothingIsLost, "an end (\(ending)) unlike without backpressure (\(reference.ending ?? "none"))")
        ]
    }
}
