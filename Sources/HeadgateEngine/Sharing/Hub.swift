import HeadgateCore
import Synchronization

/// Serves any number of subscribers with the same values, in the order in which they subscribed, one value at a time.
///
/// Several threads may send values at once, even during a delivery: a `Drain` gives them one order, which every
/// subscriber sees. The list of subscribers belongs to the drain's owner too. Subscribing and cancelling tend the
/// drain, or enqueue work for its owner, and never deliver a value that another thread has sent.
@usableFromInline package final class Hub<Output, Failure: Error> {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    @usableFromInline package let drain = Drain()

    // Confined to the drain's owner. `ending` is written once, before `isTerminated`, and may be read by any thread
    // that has seen that set.
    @exclusivity(unchecked) @usableFromInline package var roster = Roster<Output, Failure>()

    /// The most recent value, if the hub has a memory: for subscribers that join or request late.
    @exclusivity(unchecked) @usableFromInline package var latest: Output?

    /// Delivers the most recent value to subscribers that are still to receive it after the hub has released them.
    ///
    /// Stored here and not in the subscriptions, because that would make each of them larger.
    @exclusivity(unchecked) @usableFromInline package var pendingReplays:
        [ObjectIdentifier: (Output) -> Subscribers.Demand] = [:]

    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    /// The subject that sends, while there are subscribers: senders may hold it weakly.
    ///
    /// Stored here and not in the subscriptions, for the same reason.
    @exclusivity(unchecked) @usableFromInline package var keptSender: AnyObject?

    @usableFromInline package let isTerminated = Atomic(false)

    @usableFromInline package let upstreams = UpstreamList()

    /// The description of a subscription in a log.
    @usableFromInline package let name: StaticString

    @usableFromInline package let hasMemory: Bool

    /// Creates a hub.
    ///
    /// - Parameter latest: The initial value. A hub that has one remembers the most recent value.
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

    /// Forwards a value of an upstream.
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

    /// Forwards the completion of an upstream.
    @inlinable package func pass(completion: Subscribers.Completion<Failure>) {
        if drain.enter() || drain.waitForTurn() {
            end(completion)
            finish()
        } else {
            drain.postpone { self.end(completion) }
        }
    }

    /// Attaches a subscriber; values sent meanwhile follow its subscription.
    ///
    /// - Parameter sender: Retained until the last subscriber has cancelled or received the completion.
    @inlinable package func attach(_ subscriber: some Subscriber<Output, Failure>, keeping sender: AnyObject? = nil) {
        if isTerminated.load(ordering: .acquiring), let ending {
            subscriber.complete(with: ending)
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

    /// Adds a subscriber and sends it its subscription; called by the drain's owner.
    @inlinable func connect(
        _ member: Member, _ subscriber: AnySubscriber<Output, Failure>, keeping sender: AnyObject?
    ) {
        // The stream may have completed since the check above.
        if let ending { return subscriber.complete(with: ending) }
        join(member, subscriber, keeping: sender)
        subscriber.receive(subscription: member)
    }

    /// Leaves the drain, and opens the upstreams if that has been requested meanwhile.
    ///
    /// They are opened after leaving the drain, so that one that delivers immediately finds it idle, and its values are
    /// delivered as they arrive instead of piling up.
    @inlinable @inline(__always) package func finish() {
        drain.leave()
        if upstreams.isAwaited.load(ordering: .relaxed) { upstreams.open() }
    }

    /// Called when the sender has been deallocated: nothing will be sent any more.
    @usableFromInline package func close() {
        upstreams.cancel()
        var released = Roster<Output, Failure>()
        if !drain.tend({ released = dissolve() }) { drain.postpone { _ = self.dissolve() } }
        // Released here, because that may run user code.
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

    /// Releases the subscribers because nothing can be sent any more; one that is still to receive the most recent
    /// value may still request it.
    @inlinable func dissolve() -> Roster<Output, Failure> {
        let roster = exchange(&self.roster, with: Roster())
        roster.forEach { member in
            member.position = -1
            if latest != nil, member.hasMissedLatest {
                pendingReplays[ObjectIdentifier(member)] = member.downstream.receiveValue
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

    /// Called when a subscriber has cancelled.
    @inlinable func leave(_ member: Member) {
        var subscriber = Downstream<Output, Failure>()
        var replay: ((Output) -> Subscribers.Demand)?
        var sender: AnyObject?
        let isRemoved = drain.tend {
            subscriber = roster.remove(member)
            if roster.isEmpty { swap(&keptSender, &sender) }
            if !pendingReplays.isEmpty { replay = pendingReplays.removeValue(forKey: ObjectIdentifier(member)) }
        }
        if isRemoved {
            // Released here, because that may run user code.
            _ = subscriber.release()
            _ = replay.take()
            _ = sender.take()
        } else {
            drain.postpone { [self] in
                _ = roster.remove(member)
                pendingReplays[ObjectIdentifier(member)] = nil
                if roster.isEmpty { keptSender = nil }
            }
        }
    }

    /// Delivers the most recent value to a subscriber that has requested one and not received it.
    @inlinable func replay(to member: Member) {
        guard let latest, member.hasMissedLatest, member.outstanding.current > .none else { return }
        if member.position >= 0 {
            member.deliver(latest)
        } else if let replay = pendingReplays.removeValue(forKey: ObjectIdentifier(member)),
            member.outstanding.takeOne()
        {
            member.hasMissedLatest = false
            _ = replay(latest)
        }
    }

    /// Called when a subscriber has requested values.
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

/// The subscription of a subscriber to a hub.
@usableFromInline package final class HubSubscription<Output, Failure: Error>: ConduitSubscription, SignalHandling {
    @usableFromInline package let hub: Hub<Output, Failure>

    @usableFromInline package let outstanding = OutstandingDemand()

    /// The position in the hub's list, negative outside it.
    // Confined to the owner of the hub's drain.
    @exclusivity(unchecked) @usableFromInline package var position: Int32 = -1

    /// Whether the hub's most recent value is still to be delivered.
    @exclusivity(unchecked) @usableFromInline package var hasMissedLatest = false

    /// The subscriber, while the subscription is in the hub's list.
    @exclusivity(unchecked) @usableFromInline package var downstream = Downstream<Output, Failure>()

    @inlinable package init(hub: Hub<Output, Failure>) {
        self.hub = hub
        super.init(handle: HubSubscription.handling)
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { hub.demandHasArrived(for: self) }
    }

    @inlinable package func handleCancel() {
        if outstanding.close() != nil { hub.leave(self) }
    }

    /// Delivers a value if there is demand; called by the drain's owner.
    @inlinable @inline(__always) package func deliver(_ value: Output) {
        if outstanding.isUnlimited {
            hasMissedLatest = false
            _ = downstream.receive(value)
        } else if outstanding.takeOne() {
            hasMissedLatest = false
            outstanding.add(downstream.receive(value))
        } else {
            hasMissedLatest = true
        }
    }

    /// Delivers the completion, and releases the subscriber; called by the drain's owner.
    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        position = -1
        let receiveCompletion = downstream.release()
        if outstanding.close() != nil { receiveCompletion?(completion) }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var traits: SubscriptionTraits {
        hub.hasMemory ? [.sendsByItself, .holdsLatestOnly] : .sendsByItself
    }
}
