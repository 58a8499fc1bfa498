import HeadgateEngine
import Synchronization

// How far upstream is requested if the slowest subscriber holds it back. No step looks at all subscribers, unless the
// foremost have left: requests and cancellations would take longer with each of them.
extension ReplayHub {
    /// Notes up to which position a subscriber has requested.
    @inlinable @inline(__always) func noteGoal(of member: Member) {
        if member.goal != .unlimited, member.cursor != nil { raiseGoal(of: member) }
    }

    @inlinable func raiseGoal(of member: Member) {
        let goal = Subscribers.Demand.max(member.position) + member.outstanding.current
        if goal <= member.goal { return }
        member.goal = goal
        if goal > foremost.goal { foremost = (goal, 0) }
        if goal == foremost.goal { foremost.count += 1 }
    }

    @inlinable func forgetGoal(of member: Member) {
        if foremost.count > 0, member.goal == foremost.goal { foremost.count -= 1 }
    }

    /// Requests what the foremost subscriber needs, as far as the slowest one permits, if that matters.
    @inlinable package func keepStep() {
        if lead != nil { request(takeStep()) }
    }

    /// Requests values from upstream, after leaving the drain.
    @inlinable func request(_ demand: Subscribers.Demand) {
        guard demand > .none, let connection else { return }
        connection.due.add(demand)
        isConnectionDue.store(true, ordering: .relaxed)
    }

    /// The same as `keepStep` after a value that all have received: most often it has not made enough room.
    ///
    /// - Returns: The demand to return to upstream.
    @inlinable @inline(__always) func keepStepAfterValue() -> Subscribers.Demand {
        guard let lead else { return .none }
        let isPacedByLead = foremost.count > 0 && foremost.goal == .unlimited
        if isPacedByLead, UInt(log.released) + UInt(lead - max(1, lead / 2)) < requested.rawValue { return .none }
        return takeStep()
    }

    /// Counts what is to be requested as requested, if that is worth it.
    @inlinable func takeStep() -> Subscribers.Demand {
        guard let lead, ending == nil, connection != nil, members.first != nil else { return .none }
        let bound = Subscribers.Demand.max(log.released) + .max(lead)
        if foremost.count == 0, min(foremost.goal, bound) > requested { findForemost(unlessBeyond: bound) }
        let goal = min(foremost.goal, bound)
        // Not one by one unless no more is needed: as soon as half of the room is free.
        guard goal > requested, goal == foremost.goal || goal - requested >= max(1, lead / 2) else { return .none }
        return goal - exchange(&requested, with: goal)
    }

    /// Finds out how much the foremost subscriber has requested, unless that is more than a bound.
    @inlinable func findForemost(unlessBeyond bound: Subscribers.Demand) {
        var found = (goal: Subscribers.Demand.none, count: 0)
        var following = members.first
        while let member = following {
            following = member.next
            if member.goal > bound { return }
            if member.goal > found.goal { found = (member.goal, 0) }
            if member.goal == found.goal { found.count += 1 }
        }
        foremost = found
    }
}
