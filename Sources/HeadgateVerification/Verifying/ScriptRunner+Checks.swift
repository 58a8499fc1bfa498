import HeadgateCore
import HeadgateTesting

extension ScriptRunner {
    private var drops: Bool { capabilities.contains(.dropsUnasked) }
    private var merges: Bool { capabilities.contains(.merges) }

    /// Checks requests that should have no effect.
    func checkRequest(
        _ action: ScriptAction, outstanding: Subscribers.Demand?, before: Outcome, after: Outcome
    ) -> Breach? {
        guard case .request(let demand) = action else { return nil }
        let hasChanged = after.values.count != before.values.count || after.ending != before.ending
        let isHot = capabilities.contains(.hot)
        // Work that was under way before may finish now.
        if capabilities.contains(.asynchronous), before.isCancelled || after.ending != before.ending { return nil }
        if before.isOver {
            // A stream that ignores cancellation continues anyway.
            if isHot, !before.breaches.isEmpty { return nil }
            return after.breaches.count > before.breaches.count || hasChanged
                ? Breach(.lateRequestsDoNothing, "a request after the end or cancel() was answered") : nil
        }
        // When time passes, a value may have arrived by itself, or because of an earlier request.
        guard let outstanding else { return nil }
        if pace == .atOnce, isHot || outstanding > .none { return nil }
        return demand == .none && hasChanged ? Breach(.requestingNoneDoesNothing, "request(.none) was answered") : nil
    }

    /// Checks a request that reached upstream.
    func checkUpstreamRequest(_ action: ScriptAction, isOver: Bool) -> Breach? {
        guard case .request(let demand) = action else { return nil }
        if isOver {
            return capabilities.contains(.transparent)
                ? nil : Breach(.lateRequestsDoNothing, "a request after the end or cancel() reached upstream")
        }
        return demand == .none
            ? Breach(.requestingNoneDoesNothing, "request(.none) requested values from upstream") : nil
    }

    /// Checks that the failure of an upstream is forwarded if it should be.
    func checkFailure(_ action: ScriptAction, before: Outcome, after: Outcome) -> Breach? {
        guard case .fail = action, capabilities.contains(.fails), !before.isOver, after.ending == "finished" else {
            return nil
        }
        return Breach(.nothingIsLost, "an upstream failed, but the stream finished")
    }

    /// Checks for the completion of a stream that should have none.
    func checkUnexpectedEnd(_ outcome: Outcome) -> Breach? {
        guard capabilities.contains(.hot), capabilities.isDisjoint(with: [.finite, .fails]), !isOperator,
            outcome.ending != nil
        else { return nil }
        return Breach(.exhaustedDemandDoesNotComplete, "a stream without an end of its own completed")
    }

    /// The values that an action of upstream delivers under unlimited demand; `nil` if that is unknown.
    func arrivals(after history: [ScriptAction], of action: ScriptAction) -> [String]? {
        // Without these capabilities nothing is dropped, or not at the time of the action.
        guard drops, !merges, !capabilities.contains(.asynchronous), pace != .onWaiting, action.isOfUpstream,
            let before = reference(for: history), let after = reference(for: history + [action])
        else { return nil }
        return Array(after.values.dropFirst(before.values.count))
    }

    /// Checks that no value was dropped that had demand when it arrived.
    func checkArrivals(
        _ arrivals: [String]?, outstanding: Subscribers.Demand?, before: Outcome, after: Outcome
    ) -> Breach? {
        guard let arrivals, let outstanding, !before.isOver, !after.isCancelled else { return nil }
        let expected = arrivals.prefix(outstanding.max ?? arrivals.count)
        let received = after.values.dropFirst(before.values.count)
        if received.starts(with: expected) { return nil }
        if received.count >= expected.count {
            return Breach(.nothingIsLost, "\(received.first ?? "") instead of \(expected[0])")
        }
        return Breach(
            outstanding == .unlimited ? .unlimitedAbsorbs : .demandAddsUp,
            "\(outstanding.figure) requested, \(arrivals.count) arrived, \(received.count) delivered")
    }

    /// Compares a run with the run under unlimited demand.
    func check(_ outcome: Outcome, against reference: Reference?, isByHand: Bool) -> [Breach] {
        guard let reference else { return [] }
        let progress = checkProgress(outcome, against: reference, isByHand: isByHand)
        return [checkValues(outcome, against: reference), progress].compactMap(\.self)
    }

    /// Checks that what was requested has arrived, and the completion if it is due.
    private func checkProgress(_ outcome: Outcome, against reference: Reference, isByHand: Bool) -> Breach? {
        if outcome.isCancelled || outcome.end == .byTime { return nil }
        let available = reference.values.count
        let expected = min(outstandingDemand(outcome).max ?? available, available)
        let received = outcome.values.count
        if received < expected, outcome.ending == nil || outcome.end == .byTimeAtLast {
            let rule: Rule = outcome.requested == .unlimited ? .unlimitedAbsorbs : .demandAddsUp
            return Breach(rule, "\(outcome.requested.figure) requested, \(received) delivered")
        }
        if outcome.end == .byTimeAtLast { return nil }
        if let ending = outcome.ending {
            return checkEnd(ending, of: outcome, expected: expected, against: reference, isByHand: isByHand)
        }
        guard let due = reference.ending else { return nil }
        let hasAll = received == available && !(drops && merges) || drops && outcome.requested == .unlimited
        // The completion may come after dropped values that need demand, and that of another upstream may need demand.
        let isAlone = isByHand && !merges && outcome.requested > .none
        let mayHide = isOperator && !isAlone || capabilities.contains(.leavesValuesOut)
        // If upstream has completed without a resulting value, the completion has nothing to wait for.
        let isBare = isByHand && available == 0
        // Until the clock advances, a completion may be pending.
        if pace == .whenDue, available == 0 { return nil }
        guard hasAll, isBare || !mayHide || outcome.requested > .max(available) else { return nil }
        return available == 0 || due != "finished"
            ? Breach(.oneCompletion, "the completion (\(due)) waits for demand")
            : Breach(.completesAfterLastValue, "no completion after the last value")
    }

    /// The demand that must be served whatever the subject may drop.
    private func outstandingDemand(_ outcome: Outcome) -> Subscribers.Demand {
        drops && !outcome.isFree ? outcome.initialDemand : outcome.requested
    }

    private func checkValues(_ outcome: Outcome, against reference: Reference) -> Breach? {
        let received = outcome.values
        // A failure may overtake more values the more are requested.
        let isCutShort = isOperator && reference.ending != nil && reference.ending != "finished"
        let known = reference.isOpenEnded || isCutShort ? received.prefix(reference.values.count) : received[...]
        if outcome.isFree || !drops && !merges {
            if known.elementsEqual(reference.values.prefix(known.count)) { return nil }
            return Breach(.nothingIsLost, "different values than under unlimited demand, or in another order")
        }
        if merges {
            // A combination of several upstreams with drops can be anything.
            if drops || isCutShort { return nil }
            if !received.withoutEach(of: reference.values).isEmpty {
                return Breach(.nothingIsLost, "an additional value compared to unlimited demand")
            }
            return keepsTheOrderOfSources(received)
                ? nil : Breach(.nothingIsLost, "the values of one source arrived in another order")
        }
        let sure = known.prefix(outcome.initialDemand.max ?? 0)
        // Of a stream without an end, only the beginning is known.
        let early = reference.isOpenEnded ? known.prefix(while: reference.values.contains) : known
        if sure.elementsEqual(reference.values.prefix(sure.count)), Array(early).isFoundInOrder(in: reference.values) {
            return nil
        }
        return Breach(.nothingIsLost, "values that are not delivered under unlimited demand, or in another order")
    }

    private func keepsTheOrderOfSources(_ received: [String]) -> Bool {
        var next: [Int: Int] = [:]
        for place in received.compactMap({ references.places[$0] }) {
            if next[place.source, default: 0] != place.index { return false }
            next[place.source] = place.index + 1
        }
        return true
    }

    private func checkEnd(
        _ ending: String, of outcome: Outcome, expected: Int, against reference: Reference, isByHand: Bool
    ) -> Breach? {
        let received = outcome.values.count
        let due = drops && !outcome.isFree ? expected : reference.values.count
        let mayFailEarly = isOperator && ending == reference.ending && ending != "finished"
        if received < due {
            if mayFailEarly { return nil }
            return outcome.requested <= .max(received)
                ? Breach(.exhaustedDemandDoesNotComplete, "a completion when demand was used up")
                : Breach(.nothingIsLost, "a completion before all values were delivered")
        }
        if ending == reference.ending || reference.isOpenEnded { return nil }
        // A failure may report that something was dropped.
        if drops, ending != "finished", received < reference.values.count { return nil }
        guard let expected = reference.ending else {
            return Breach(
                .exhaustedDemandDoesNotComplete, "a completion (\(ending)) that does not occur under unlimited demand")
        }
        // The first of several completions may depend on demand.
        if isOperator, !isByHand || merges { return nil }
        return Breach(.nothingIsLost, "a completion (\(ending)) unlike under unlimited demand (\(expected))")
    }
}
