import HeadgateCore

/// What is known about a group.
@usableFromInline package struct GroupLabel<Key, Time> {
    @usableFromInline package let key: Key

    /// How many groups came before this one.
    @usableFromInline let order: Int

    /// When its most recent value arrived, if that matters.
    @usableFromInline var lastUse: Time?

    @inlinable init(_ key: Key, order: Int) {
        self.key = key
        self.order = order
    }
}

/// Divides values by key.
@usableFromInline
package final class GroupConduit<Key: Hashable, Value, Failure: Error, Context: Scheduler>: BranchingConduit<
    GroupLabel<Key, Context.SchedulerTimeType>, Value, Failure
>, Branching, Waking
{
    @usableFromInline package typealias Input = Value

    @usableFromInline package typealias Label = GroupLabel<Key, Context.SchedulerTimeType>

    @usableFromInline package typealias Output = Branch<Label, Value, Failure>

    @usableFromInline package typealias Time = Context.SchedulerTimeType

    @usableFromInline let makeKey: (Value) -> Key

    @usableFromInline let groupLimit: Int

    /// What becomes of a value of a new key when the number of groups is at its limit; the idlest group is the oldest.
    @usableFromInline let whenFull: OverflowRule<Failure>

    /// How long a group may go without a value.
    @usableFromInline let idling: TimeSpan<Context>?

    /// Whether groups are kept in the order of their last use.
    @usableFromInline let keepsOrder: Bool

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var groups: [Key: Member] = [:]

    /// How many groups there have been.
    @exclusivity(unchecked) @usableFromInline var groupCount = 0

    /// The groups in the order of their last use.
    @exclusivity(unchecked) @usableFromInline var idlest = LinkedList<Member>()

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    @inlinable package init(
        groupLimit: Int, buffer: Int, whenFull: OverflowRule<Failure>, idling: TimeSpan<Context>?,
        onDrop: ((Value) -> Void)?,
        makeKey: @escaping (Value) -> Key, _ downstream: AnySubscriber<Member, Failure>
    ) {
        self.groupLimit = groupLimit
        self.whenFull = whenFull
        self.idling = idling
        self.makeKey = makeKey
        keepsOrder = if case .makeRoom = whenFull { true } else { idling != nil }
        super.init(
            name: "GroupBy", limit: buffer, holdsUnread: false, onDrop: onDrop, downstream,
            handle: GroupConduit.serving)
    }

    @inlinable @inline(__always) package func take(_ value: Value) -> Subscribers.Demand {
        // Upstream has ended when values have no destination any more.
        upstream.hasEnded ? .none : divide(value)
    }

    /// Puts a value in the group of its key.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) func divide(_ value: Value) -> Subscribers.Demand {
        let key = makeKey(value)
        guard let group = groups[key] else { return begin(key, with: value) }
        if keepsOrder { touch(group) }
        return put(value, in: group)
    }

    @inlinable func begin(_ key: Key, with value: Value) -> Subscribers.Demand {
        if isAbandoned || groups.count >= groupLimit && !makeRoom() {
            drop(value)
            return isShut ? .none : .max(1)
        }
        let group = makeGroup(key)
        add(group)
        if group.outstanding.isClosed {
            drop(value)
            return .max(1)
        }
        return put(value, in: group)
    }

    @inlinable func makeGroup(_ key: Key) -> Member {
        let group = Member(self, GroupLabel(key, order: groupCount))
        groupCount += 1
        groups[key] = group
        if keepsOrder { touch(group) }
        return group
    }

    /// Applies the rule for when the number of groups is at its limit.
    ///
    /// - Returns: Whether there is room for another group now.
    @inlinable func makeRoom() -> Bool {
        switch whenFull {
        case .drop:
            return false
        case .fail(let makeFailure):
            endAll(.failure(makeFailure()))
            return false
        case .makeRoom:
            if let first = idlest.first { end(first) }
            return true
        }
    }

    @inlinable func end(_ group: Member) {
        forget(group)
        close(group, .finished)
    }

    /// Records that a group is the most recently used.
    @inlinable func touch(_ group: Member) {
        if let idling { group.label.lastUse = idling.now }
        if idlest.last !== group {
            idlest.remove(group)
            idlest.append(group)
        }
        setAlarm()
    }

    @inlinable func setAlarm() {
        if let idling, let lastUse = idlest.first?.label.lastUse { setAlarm(for: idling, since: lastUse) }
    }

    /// Completes the groups that have gone without a value for too long.
    @inlinable package func wake(atAlarmFor date: Time) {
        guard let idling else { return }
        let moment = idling.now(atAlarmFor: date)
        while let group = idlest.first, let lastUse = group.label.lastUse,
            idling.isOver(since: lastUse, at: moment)
        {
            end(group)
        }
        setAlarm()
    }

    @inlinable package static var passesOn: Bool { true }

    // What a subscriber leaves is that of the next one, unless it has taken nothing: the next one might not, either, and
    // there would be no end of groups.
    @inlinable package func passOn(_ values: Queue<Value>, counted: Int, from branch: Member) -> Int {
        let key = branch.label.key
        if branch.hasDelivered, !hasEnded, !isAbandoned {
            if let group = groups[key] { return give(values, counted: counted, to: group) }
            if ending != nil || groups.count < groupLimit || makeRoom() {
                let group = makeGroup(key)
                _ = takeValues(of: group, leaving: values)
                group.counted = counted
                if ending != nil { endLate(group) }
                add(group)
                return counted
            }
        }
        drop(values)
        return 0
    }

    /// Has a group that begins after the end of upstream end with it.
    @inlinable func endLate(_ group: Member) {
        forget(group)
        if let ending { group.ending = { ending } }
    }

    /// Puts older values in a group before those that wait there.
    @inlinable func give(_ values: Queue<Value>, counted: Int, to group: Member) -> Int {
        var values = values
        var others = takeValues(of: group)
        while let value = others.popFirst() { values.append(value) }
        _ = takeValues(of: group, leaving: values)
        if group.isPending || group.downstream.isThere {
            group.counted += counted
            if group.downstream.isThere { serve(group) }
            return counted
        }
        var kept = Queue<Value>()
        while kept.count < limit, let value = values.popFirst() { kept.append(value) }
        _ = takeValues(of: group, leaving: kept)
        drop(values)
        return 0
    }

    @inlinable package func take(_ value: Value, leftBy branch: Member) -> Subscribers.Demand {
        // Its cancellation is still to be handled.
        leave(branch)
        return groups[branch.label.key] === branch ? .max(1) : divide(value)
    }

    @inlinable package func forget(_ branch: Member) {
        if groups[branch.label.key] === branch { groups[branch.label.key] = nil }
        if keepsOrder { idlest.remove(branch) }
    }

    @inlinable package func forgetAll() -> [Member] {
        alarm.cancel()
        idlest.removeAll()
        return exchange(&groups, with: [:]).values.sorted { $0.label.order < $1.label.order }
    }
}
