import HeadgateCore
import HeadgateThread
import Synchronization

/// Serves any number of subscribers with the same values, in the order in which they subscribed, one value at a time.
///
/// Several threads may send values at once, even during a delivery: a `Drain` gives them one order, which every
/// subscriber sees. The list of subscribers belongs to the drain's owner too. Subscribing and cancelling visit the
/// idle drain, or enqueue work for its owner, and never deliver a value that another thread has sent.
@usableFromInline package final class Hub<Output, Failure: Error> {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    // The order of the members keeps the hub small.
    @usableFromInline package let drain = Drain()

    @usableFromInline package let isTerminated = Atomic(false)

    /// What has happened to the upstreams.
    let upstreamEvents = Atomic<UInt8>(0)

    /// The description of a subscription in a log.
    @usableFromInline let name: HubName

    // Confined to the drain's owner. `ending` is written once, before `isTerminated`, and may be read by any thread
    // that has seen that set.
    /// Whether the subscriber that is being attached has brought the first demand; `nil` while none is being attached.
    @exclusivity(unchecked) @usableFromInline var opensUpstreams: Bool?

    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline package var subscribers = SubscriberList()

    /// How many of the changes of a current value have been delivered, if the hub sends one.
    @exclusivity(unchecked) @usableFromInline var deliveries: UInt32 = 0

    /// The most recent value, for subscribers that join or request late; `nil` if the hub has no memory.
    @usableFromInline let memory: HubMemory<Output>?

    /// The subject that sends, while there are subscribers: senders may hold it weakly.
    ///
    /// Stored here and not in the subscriptions, because that would make each of them larger.
    @exclusivity(unchecked) @usableFromInline package var keptSender: AnyObject?

    @usableFromInline let lazyAttachments = LazyReference<HubAttachments>()

    /// Creates a hub.
    ///
    /// - Parameter latest: The initial value. A hub that has one remembers the most recent value.
    @inlinable package init(_ name: HubName, latest: Output?) {
        self.name = name
        memory = if let latest { HubMemory(latest) } else { nil }
    }

    /// Sends a value in the caller's turn.
    // Without a closure, as `Drain.send` has one, which a debug build would call.
    @inlinable package func send(_ value: Output) {
        let depth = Drain.depthOfSend
        headgate_deepen(depth)
        pass(value)
        headgate_deepen(-depth)
    }

    /// Forwards a value of an upstream.
    ///
    /// A caller inside a delivery waits for its turn here, too.
    @inlinable @inline(__always) package func pass(_ value: Output) {
        // Not by `run`, whose closure would be allocated for each value.
        if drain.enter() || drain.waitForTurn() {
            deliver(value)
            drain.leave()
        } else {
            drain.postpone { self.deliver(value) }
        }
    }

    @inlinable package func send(completion: Subscribers.Completion<Failure>) {
        Drain.send { pass(completion: completion) }
    }

    /// Forwards the completion of an upstream.
    @inlinable package func pass(completion: Subscribers.Completion<Failure>) { drain.run { self.end(completion) } }

    /// Attaches a subscriber; values sent meanwhile follow its subscription.
    ///
    /// - Parameter sender: Retained until the last subscriber has cancelled or received the completion.
    @inlinable package func attach(_ subscriber: some Subscriber<Output, Failure>, keeping sender: AnyObject? = nil) {
        if isTerminated.load(ordering: .acquiring), let ending {
            subscriber.complete(with: ending, after: subscriptionAtTheEnd)
            return
        }
        let member = Member(hub: self)
        if QueueRegistry.isBound { attachments.stage(member) }
        let erased = AnySubscriber(subscriber)
        let isOwner = drain.enter() || drain.waitToChange()
        // Also inside a delivery, if values wait that were sent before.
        if !isOwner, !drain.isUndisturbed { return attachLater(member, subscriber, erased, keeping: sender) }
        if isOwner { opensUpstreams = false }
        if let ending {
            // The stream has completed since the check above.
            subscriber.complete(with: ending, after: subscriptionAtTheEnd)
        } else {
            join(member, erased, keeping: sender)
            subscriber.receive(subscription: member)
        }
        if isOwner { leaveAndOpen() }
    }

    /// Attaches a subscriber after the work that has been enqueued for the owner.
    @inlinable @inline(never) func attachLater(
        _ member: Member, _ subscriber: some Subscriber<Output, Failure>, _ erased: AnySubscriber<Output, Failure>,
        keeping sender: AnyObject?
    ) {
        member.isExpected.store(true, ordering: .relaxed)
        subscriber.receive(subscription: member)
        drain.postpone { self.join(member, erased, keeping: sender) }
        // Its demand opens the upstreams now, so that it receives what they send at once.
        if member.hasArrived(), memory == nil { openUpstreams() }
    }

    /// The subscription of one that subscribes after the completion: empty, but in a log that of a shared stream has its
    /// name.
    @usableFromInline var subscriptionAtTheEnd: any Subscription {
        lazyAttachments.existing?.connections == nil ? Subscriptions.empty : Gate(name: name.rawValue)
    }

    /// Leaves the drain, and opens the upstreams if the subscriber that has been attached is the first with demand.
    ///
    /// They are opened after leaving the drain, so that one that delivers immediately finds it idle, and its values are
    /// delivered as they arrive instead of piling up.
    @inlinable func leaveAndOpen() {
        let opens = opensUpstreams.take() == true
        drain.leave()
        if opens { openUpstreams() }
    }

    /// Called when a sender that subscribers don't retain has been deallocated: nothing will be sent any more.
    @usableFromInline package func close() {
        cancelUpstreams()
        drain.postpone { self.dissolve() }
    }

    /// Releases the subscribers; one that is still to receive the most recent value may still request it.
    func dissolve() {
        let hasLatest = memory?.latest != nil
        forEach { member in
            if hasLatest, member.hasMissedLatest {
                member.position = SubscriberList.awaitingLatest
            } else {
                member.position = SubscriberList.outside
                lazyAttachments.existing?.forget(member)
                _ = member.downstream.release()
            }
        }
        _ = exchange(&subscribers, with: SubscriberList())
    }

    @inlinable package func deliver(_ value: Output) {
        if let memory { memory.remember(value) }
        forEach { $0.deliver(value) }
    }

    @inlinable func end(_ completion: Subscribers.Completion<Failure>) {
        if isTerminated.load(ordering: .relaxed) { return }
        ending = completion
        isTerminated.store(true, ordering: .releasing)
        forEach { $0.end(completion) }
        _ = exchange(&subscribers, with: SubscriberList())
        memory?.latest = nil
        cancelUpstreams()
        keptSender = nil
    }

    /// Calls a closure for every subscriber, in order; the caller is the drain's owner.
    // A subscriber may subscribe others, which changes the list. So no access to it lasts for longer than it takes to
    // find the next one, which the list retains.
    @inlinable @inline(__always) func forEach(_ body: (Member) -> Void) {
        let count = subscribers.count
        var position = 0
        while position < count {
            if let place = subscribers[position] {
                Unmanaged<Member>.fromOpaque(place.toOpaque())._withUnsafeGuaranteedRef { body($0) }
            }
            position &+= 1
        }
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
        member.downstream = Downstream(subscriber)
        subscribers.append(member)
        if memory?.latest != nil {
            member.hasMissedLatest = true
            replay(to: member)
        }
    }

    /// Called when a subscriber has cancelled.
    @inlinable func leave(_ member: Member) {
        var subscriber = Downstream<Output, Failure>.released
        var sender: AnyObject?
        let isRemoved = drain.whileIdle {
            if subscribers.remove(member) { swap(&member.downstream, &subscriber) }
            if subscribers.isEmpty { swap(&keptSender, &sender) }
        }
        if isRemoved {
            // Released here, because that may run user code.
            _ = subscriber.release()
            _ = sender.take()
        } else {
            drain.postpone { [self] in
                if subscribers.remove(member) { _ = member.downstream.release() }
                if subscribers.isEmpty { keptSender = nil }
            }
        }
        lazyAttachments.existing?.connections?.leave()
    }

    /// Delivers the most recent value to a subscriber that has requested one and not received it.
    @inlinable func replay(to member: Member) {
        guard let latest = memory?.latest, member.hasMissedLatest, member.outstanding.current > .none else { return }
        member.deliver(latest)
        if member.position == SubscriberList.awaitingLatest { _ = member.downstream.release() }
    }

    /// Does so in the caller's turn, as `Drain.run` would, but is left nothing by others: who requests delivers its own value alone.
    @inlinable @inline(never) func replayInTurn(to member: Member) {
        if drain.enter() || drain.waitToChange() {
            replay(to: member)
            drain.leave()
        } else {
            drain.postpone { self.replay(to: member) }
        }
    }

    /// Called when a subscriber has requested values.
    @inlinable func demandHasArrived(for member: Member) {
        if memory != nil { return replayInTurn(to: member) }
        if areUpstreamsOpen || member.isExpected.load(ordering: .relaxed) { return }
        // The owner may also be releasing what a subscriber has held, whose `deinit` subscribes: no later call opens them then.
        if drain.isOwnedByCaller, opensUpstreams != nil { opensUpstreams = true } else { openUpstreams() }
    }
}
