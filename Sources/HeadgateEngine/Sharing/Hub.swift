import HeadgateCore
import Synchronization

/// Serves any number of subscribers with the same values, in the order in which they subscribed, one value at a time.
///
/// Values may be sent by several threads at once and from inside a delivery: a `SerialDrain` puts them in one order,
/// which every subscriber sees. The list of subscribers belongs to the owner of the drain too, so joining and leaving
/// need no lock, and no delivery ever meets a list that changes under it.
@usableFromInline package final class Hub<Output, Failure: Error> {
    @usableFromInline package typealias Member = HubSubscription<Output, Failure>

    @usableFromInline package enum Work {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case join(Member, AnySubscriber<Output, Failure>)
        case leave(Member)
        case replay(Member)
        case dissolve
    }

    @usableFromInline package let drain = SerialDrain<Work>()

    // The members below belong to the owner of the drain, hence unchecked. `ending` is written once, before
    // `isTerminated`, and may be read by anyone who has seen that.
    @exclusivity(unchecked) @usableFromInline package var roster = Roster<Output, Failure>()

    /// The last value, where the hub has a memory: for whoever joins or asks late.
    @exclusivity(unchecked) @usableFromInline package var latest: Output?

    /// How to deliver the last value to those who are owed it when the hub has let go of everybody.
    ///
    /// Here and not in the subscriptions, because each of them would be larger for it.
    @exclusivity(unchecked) @usableFromInline package var partings: [ObjectIdentifier: (Output) -> Subscribers.Demand] =
        [:]

    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @usableFromInline package let isTerminated = Atomic(false)

    @usableFromInline package let upstreams = UpstreamList()

    /// What a log shows for a subscription.
    @usableFromInline package let name: StaticString

    @usableFromInline package let hasMemory: Bool

    /// Makes a hub.
    ///
    /// - Parameter latest: The value to begin with. A hub that begins with one remembers the last.
    @inlinable package init(name: StaticString, latest: Output?) {
        self.name = name
        self.latest = latest
        hasMemory = latest != nil
    }

    @inlinable package func send(_ value: Output) { perform(.value(value)) }

    @inlinable package func send(completion: Subscribers.Completion<Failure>) { perform(.completion(completion)) }

    /// Connects a subscriber; what others send meanwhile comes behind its subscription.
    @inlinable package func attach(_ subscriber: some Subscriber<Output, Failure>) {
        if isTerminated.load(ordering: .acquiring), let ending {
            subscriber.connect(toEnd: ending)
            return
        }
        let member = Member(hub: self)
        let erased = AnySubscriber(subscriber)
        if drain.enter() {
            if let ending {
                // The end came between the look above and here.
                subscriber.connect(toEnd: ending)
            } else {
                join(member, erased)
                subscriber.receive(subscription: member)
            }
            finish()
        } else {
            subscriber.receive(subscription: member)
            perform(.join(member, erased))
        }
    }

    @inlinable @inline(__always) package func perform(_ work: Work) {
        if drain.admit(work) { serve(work) }
    }

    /// Does work that the drain has admitted, and what was left behind meanwhile.
    @inlinable @inline(__always) package func serve(_ work: Work) {
        performNow(work)
        finish()
    }

    /// Leaves the drain, and opens the upstreams if somebody has asked for that meanwhile.
    ///
    /// They are opened behind the drain, so that one which answers at once finds it empty, and its values are delivered
    /// as they come instead of piling up.
    @inlinable @inline(__always) package func finish() {
        drain.finish { performNow($0) }
        if upstreams.isAwaited.load(ordering: .relaxed) { upstreams.open() }
    }

    /// Hears that whoever sends has gone: nothing will come any more.
    @usableFromInline package func close() {
        upstreams.cancel()
        perform(.dissolve)
    }

    @inlinable @inline(__always) package func performNow(_ work: Work) {
        switch work {
        case .value(let value): deliver(value)
        case .completion(let completion): end(completion)
        case .join(let member, let subscriber): join(member, subscriber)
        case .leave(let member):
            roster.remove(member)
            if !partings.isEmpty { partings[ObjectIdentifier(member)] = nil }
        case .replay(let member): replay(to: member)
        case .dissolve: dissolve()
        }
    }

    @inlinable package func deliver(_ value: Output) {
        if latest != nil { latest = value }
        roster.forEach { $0.deliver(value) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        if isTerminated.load(ordering: .relaxed) { return }
        ending = completion
        isTerminated.store(true, ordering: .releasing)
        let roster = exchange(&self.roster, with: Roster())
        roster.forEach { $0.end(completion) }
        latest = nil
        upstreams.cancel()
    }

    /// Lets go of everybody because nothing can be sent any more; whoever is owed the last value may still ask for it.
    @inlinable package func dissolve() {
        let roster = exchange(&self.roster, with: Roster())
        roster.forEach { entry in
            entry.member.position = -1
            if latest != nil, entry.member.hasMissedLatest {
                partings[ObjectIdentifier(entry.member)] = entry.receiveValue
            }
        }
    }

    @inlinable package func join(_ member: Member, _ subscriber: AnySubscriber<Output, Failure>) {
        if member.outstanding.isClosed { return }
        if let ending {
            if member.outstanding.close() != nil { subscriber.receive(completion: ending) }
            return
        }
        roster.append(member, subscriber)
        if latest != nil {
            member.hasMissedLatest = true
            replay(to: member)
        }
    }

    /// Delivers the last value to a subscriber that has asked for one and not seen it.
    @inlinable package func replay(to member: Member) {
        guard let latest, member.hasMissedLatest, member.outstanding.current > .none else { return }
        if member.position >= 0, let place = roster.places[Int(member.position)] {
            place.pointee.deliver(latest)
        } else if let parting = partings.removeValue(forKey: ObjectIdentifier(member)), member.outstanding.takeOne() {
            member.hasMissedLatest = false
            _ = parting(latest)
        }
    }

    /// Hears that somebody wants values.
    @inlinable package func demandHasArrived(for member: Member) {
        let opens = !upstreams.isOpen.load(ordering: .relaxed)
        if opens { upstreams.isAwaited.store(true, ordering: .releasing) }
        if opens || hasMemory { perform(.replay(member)) }
    }
}

/// The subscription of one subscriber of a hub.
@usableFromInline package final class HubSubscription<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package let hub: Hub<Output, Failure>

    @usableFromInline package let outstanding = OutstandingDemand()

    // The place in the hub's list, negative outside it, and whether the hub's last value is still owed: both belong to
    // the owner of the hub's drain, hence unchecked.
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
                if member.outstanding.close() != nil { member.hub.perform(.leave(member)) }
            }
        }
    }

    @usableFromInline package override var description: String { hub.name.description }

    @usableFromInline package override var holdsLatestOnly: Bool { hub.hasMemory }
}
