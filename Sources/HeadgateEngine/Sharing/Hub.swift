import HeadgateCore
import Synchronization

/// Serves any number of subscribers with the same values, in the order in which they subscribed, one value at a time.
///
/// Values may be sent by several threads at once and from inside a delivery: a `Drain` puts them in one order, which every
/// subscriber sees. The list of subscribers belongs to the owner of the drain too. To join and to leave is to tend the
/// drain, or to leave a note for its owner, and never to deliver a value that somebody else has sent.
@usableFromInline package final class Hub<Output, Failure: Error> {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    @usableFromInline package let drain = Drain()

    // The members below belong to the owner of the drain, hence unchecked. `ending` is written once, before
    // `isTerminated`, and may be read by anyone who has seen that.
    @exclusivity(unchecked) @usableFromInline package var roster = Roster<Output, Failure>()

    /// The most recent value, where the hub has a memory: for subscribers that join or request late.
    @exclusivity(unchecked) @usableFromInline package var latest: Output?

    /// How to deliver the most recent value to subscribers that are owed it when the hub has released them.
    ///
    /// Here and not in the subscriptions, because each of them would be larger for it.
    @exclusivity(unchecked) @usableFromInline package var pendingReplays:
        [ObjectIdentifier: (Output) -> Subscribers.Demand] = [:]

    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    /// The subject that sends, for as long as there are subscribers: who sends to them may hold it weakly.
    ///
    /// Here and not in the subscriptions, for the same reason.
    @exclusivity(unchecked) @usableFromInline package var keptSender: AnyObject?

    @usableFromInline package let isTerminated = Atomic(false)

    @usableFromInline package let upstreams = UpstreamList()

    /// The description of a subscription in a log.
    @usableFromInline package let name: StaticString

    @usableFromInline package let hasMemory: Bool

    /// Makes a hub.
    ///
    /// - Parameter latest: The value to begin with. A hub that begins with one remembers the most recent.
    @inlinable package init(name: StaticString, latest: Output?) {
        self.name = name
        self.latest = latest
        hasMemory = latest != nil
    }

    /// Sends a value in the caller's turn.
    @inlinable package func send(_ value: Output) {
        let isInside = Drain.beginSending()
        pass(value)
        Drain.endSending(isInside)
    }

    /// Passes on a value of an upstream.
    ///
    /// A caller inside a delivery waits for its turn here, too.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        if drain.enter() || drain.waitForTurn(slows: true) {
            deliver(value)
            finish()
        } else {
            drain.postpone { self.deliver(value) }
        }
    }

    @inlinable package func send(completion: Subscribers.Completion<Failure>) {
        let isInside = Drain.beginSending()
        pass(completion: completion)
        Drain.endSending(isInside)
    }

    /// Passes on the completion of an upstream.
    @inlinable package func pass(completion: Subscribers.Completion<Failure>) {
        if drain.enter() || drain.waitForTurn() {
            end(completion)
            finish()
        } else {
            drain.postpone { self.end(completion) }
        }
    }

    /// Connects a subscriber; what others send meanwhile comes after its subscription.
    ///
    /// - Parameter sender: What has to live until the last subscriber has cancelled or heard the end.
    @inlinable package func attach<S: Subscriber>(_ subscriber: S, keeping sender: AnyObject? = nil)
    where S.Input == Output, S.Failure == Failure {
        if isTerminated.load(ordering: .acquiring), let ending {
            subscriber.connect(toEnd: ending)
            return
        }
        let member = Member(hub: self)
        let erased = AnySubscriber(subscriber)
        if drain.enter() || drain.waitForTurn() {
            connect(member, erased, keeping: sender)
            finish()
        } else if drain.isOwnedByCaller {
            connect(member, erased, keeping: sender)
        } else {
            subscriber.receive(subscription: member)
            drain.postpone { self.join(member, erased, keeping: sender) }
        }
    }

    /// Takes a subscriber in and hands it its subscription; for the owner of the drain.
    @inlinable func connect(
        _ member: Member, _ subscriber: AnySubscriber<Output, Failure>, keeping sender: AnyObject?
    ) {
        // The end may have come since the look above.
        if let ending { return subscriber.connect(toEnd: ending) }
        join(member, subscriber, keeping: sender)
        subscriber.receive(subscription: member)
    }

    /// Leaves the drain, and opens the upstreams if somebody has requested that meanwhile.
    ///
    /// They are opened after it has been left, so that one which answers at once finds it idle, and its values are
    /// delivered as they come instead of piling up.
    @inlinable @inline(__always) package func finish() {
        drain.leave()
        if upstreams.isAwaited.load(ordering: .relaxed) { upstreams.open() }
    }

    /// Hears that whoever sends has gone: nothing will come any more.
    @usableFromInline package func close() {
        upstreams.cancel()
        var released = Roster<Output, Failure>()
        if !drain.tend({ released = dissolve() }) { drain.postpone { _ = self.dissolve() } }
        // Released here, because that may run foreign code.
        _ = exchange(&released, with: Roster())
    }

    @inlinable package func deliver(_ value: Output) {
        if latest != nil { latest = value }
        roster.forEach { $0.deliver(value) }
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        if isTerminated.load(ordering: .relaxed) { return }
        ending = completion
        isTerminated.store(true, ordering: .releasing)
        let roster = exchange(&self.roster, with: Roster())
        roster.forEach { $0.end(completion) }
        latest = nil
        upstreams.cancel()
        keptSender = nil
    }

    /// Releases the subscribers because nothing can be sent any more; one that is owed the most recent value may still
    /// request it.
    @inlinable func dissolve() -> Roster<Output, Failure> {
        let roster = exchange(&self.roster, with: Roster())
        roster.forEach { entry in
            entry.member.position = -1
            if latest != nil, entry.member.hasMissedLatest {
                pendingReplays[ObjectIdentifier(entry.member)] = entry.receiveValue
            }
        }
        return roster
    }

    @inlinable func join(
        _ member: Member, _ subscriber: AnySubscriber<Output, Failure>, keeping sender: AnyObject?
    ) {
        if member.outstanding.isClosed { return }
        if let ending {
            if member.outstanding.close() != nil { subscriber.receive(completion: ending) }
            return
        }
        if keptSender == nil { keptSender = sender }
        roster.append(member, subscriber)
        if latest != nil {
            member.hasMissedLatest = true
            replay(to: member)
        }
    }

    /// Hears that a subscriber has cancelled.
    @inlinable func leave(_ member: Member) {
        var entry: Roster<Output, Failure>.Place?
        var replay: ((Output) -> Subscribers.Demand)?
        var sender: AnyObject?
        let isRemoved = drain.tend {
            entry = roster.remove(member)
            if roster.isEmpty { swap(&keptSender, &sender) }
            if !pendingReplays.isEmpty { replay = pendingReplays.removeValue(forKey: ObjectIdentifier(member)) }
        }
        if isRemoved {
            // Released here, because that may run foreign code.
            Roster.release(entry)
            _ = replay.take()
            _ = sender.take()
        } else {
            drain.postpone { [self] in
                Roster.release(roster.remove(member))
                pendingReplays[ObjectIdentifier(member)] = nil
                if roster.isEmpty { keptSender = nil }
            }
        }
    }

    /// Delivers the most recent value to a subscriber that has requested one and not seen it.
    @inlinable func replay(to member: Member) {
        guard let latest, member.hasMissedLatest, member.outstanding.current > .none else { return }
        if member.position >= 0, let place = roster.places[Int(member.position)] {
            place.pointee.deliver(latest)
        } else if let replay = pendingReplays.removeValue(forKey: ObjectIdentifier(member)),
            member.outstanding.takeOne()
        {
            member.hasMissedLatest = false
            _ = replay(latest)
        }
    }

    /// Hears that a subscriber wants values.
    @inlinable func demandHasArrived(for member: Member) {
        let opens = !upstreams.isOpen.load(ordering: .relaxed)
        if opens { upstreams.isAwaited.store(true, ordering: .releasing) }
        if hasMemory {
            if drain.enter() || drain.waitForTurn() {
                replay(to: member)
                finish()
            } else {
                drain.postpone { self.replay(to: member) }
            }
        } else if opens, !drain.isOwnedByCaller {
            upstreams.open()
        }
    }
}

/// The subscription of one subscriber of a hub.
@usableFromInline package final class HubSubscription<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package let hub: Hub<Output, Failure>

    @usableFromInline package let outstanding = OutstandingDemand()

    // The place in the hub's list, negative outside it, and whether the hub's most recent value is still owed: both belong
    // to the owner of the hub's drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var position: Int32 = -1

    @exclusivity(unchecked) @usableFromInline package var hasMissedLatest = false

    @inlinable package init(hub: Hub<Output, Failure>) {
        self.hub = hub
        super.init { conduit, signal in
            let member = unsafeDowncast(conduit, to: HubSubscription.self)
            switch signal {
            case .request(let demand):
                let before = member.outstanding.add(demand)
                if before == Subscribers.Demand.none { member.hub.demandHasArrived(for: member) }
            case .cancel:
                if member.outstanding.close() != nil { member.hub.leave(member) }
            }
        }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        hub.hasMemory ? [.sendsByItself, .holdsLatestOnly] : .sendsByItself
    }
}
