import HeadgateEngine
import Synchronization

/// Serves any number of subscribers from one upstream and a log of its most recent values, each at its own pace.
///
/// Everything goes through one `Drain`, which owns the log and the list of subscribers. The demand of the foremost
/// subscriber that exceeds the log is requested from upstream, always after leaving the drain, so that an upstream that
/// delivers immediately finds it idle and its values are delivered as they arrive.
@usableFromInline package final class ReplayHub<Output, Failure: Error> {
    @usableFromInline package typealias Member = ReplaySubscription<Output, Failure>

    @usableFromInline package typealias Connection = ReplayConnection<Output, Failure>

    @usableFromInline package let drain = Drain()

    /// Connects to upstream; `nil` for a subject, to which values are sent.
    @usableFromInline package let subscribe: ((Connection) -> Void)?

    /// The description of a subscription in a log.
    @usableFromInline package let name: StaticString

    /// Expires values that are too old to be replayed, if there is such a limit.
    @usableFromInline package let age: (any ReplayAge)?

    /// How far upstream may be requested ahead of the slowest subscriber; `nil` if the foremost sets the pace.
    @usableFromInline package let lead: Int?

    /// Whether values are stored only for subscribers that lack demand.
    @usableFromInline let keepsNothing: Bool

    /// How many subscribers are needed before upstream is subscribed to.
    @usableFromInline package let quorum: Int

    /// The upstreams of a subject.
    @usableFromInline package let upstreams = UpstreamList()

    @usableFromInline let shared = LazyReference<QueueRegistry>()

    /// What is known about how a subscriber's values arrive, as a raw value.
    ///
    /// They wait in the log, so a late request loses nothing unless upstream loses it.
    @usableFromInline package let memberTraits = Atomic<UInt8>(0)

    /// Whether the connection has work to do after the drain has been left.
    @usableFromInline package let isConnectionDue = Atomic(false)

    /// The subscribers that have not cancelled, and the connection that is cancelled with the last of them: by that one,
    /// and not by the drain's owner, who may be delivering.
    @usableFromInline struct Use {
        @usableFromInline var subscribers = 0

        @usableFromInline var connection: Connection?

        @inlinable init() {}
    }

    @usableFromInline let use = Guarded(Use())

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var connection: Connection?

    /// What a subscriber has connected to upstream inside a delivery, after which it joins.
    @exclusivity(unchecked) @usableFromInline package var nextConnection: Connection?

    /// Whether the upstreams of a subject are opened when a subscriber lacks values.
    @exclusivity(unchecked) @usableFromInline package var opensOnDemand: Bool

    @exclusivity(unchecked) @usableFromInline package var log: ReplayLog<Output>

    /// The position up to which values have been requested from upstream.
    @exclusivity(unchecked) @usableFromInline package var requested = Subscribers.Demand.none

    /// The position up to which the foremost subscriber has requested, and how many have requested as much.
    ///
    /// If none has, they have left, and the others have requested less. Not used without a lead.
    @exclusivity(unchecked) @usableFromInline package var foremost = (goal: Subscribers.Demand.none, count: 0)

    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline package var members = LinkedList<Member>()

    @exclusivity(unchecked) @usableFromInline package var memberCount = 0

    /// The subject that the subscriptions retain.
    @exclusivity(unchecked) @usableFromInline package var keptSender: AnyObject?

    @inlinable package init(
        name: StaticString = "ShareReplay", capacity: Int, age: (any ReplayAge)? = nil, lead: Int? = nil,
        quorum: Int = 1, opensOnDemand: Bool = false, subscribe: ((Connection) -> Void)? = nil
    ) {
        self.name = name
        self.age = age
        self.lead = lead
        self.quorum = quorum
        self.opensOnDemand = opensOnDemand
        keepsNothing = capacity == 0 && age == nil
        log = ReplayLog(capacity: capacity)
        self.subscribe = subscribe
    }

    /// Attaches a subscriber.
    ///
    /// - Parameters:
    ///   - isWanted: Which values it receives; all if omitted. The others need no demand.
    ///   - sender: The subject to retain until the last subscriber has left or the stream has completed.
    @inlinable package func attach<Downstream: Subscriber<Output, Failure>>(
        _ subscriber: Downstream, isWanted: ((Output) -> Bool)? = nil, keeping sender: AnyObject? = nil
    ) {
        if Downstream._needsNoSubscription, isWanted == nil, replay(to: subscriber) { return }
        if subscribe != nil { use.withLock { $0.subscribers += 1 } }
        let member = Member(hub: self, AnySubscriber(subscriber), isWanted: isWanted)
        subscriber.receive(subscription: member)
        let connection = connectionInside()
        perform((member, sender)) { $0.join($1.0, keeping: $1.1) }
        guard let connection else { return }
        connection.run()
        requestInside(for: member)
    }

    /// Delivers the whole log and the completion, if the stream has ended, to a subscriber that needs no subscription.
    @inlinable func replay(to subscriber: some Subscriber<Output, Failure>) -> Bool {
        guard drain.enter() else { return false }
        let ending = self.ending
        if let ending {
            if let age { log.forget(age.takeExpired()) }
            var place = log.oldest
            while let value = place.pointee.value, let next = place.pointee.next {
                _ = subscriber.receive(value)
                place = next
            }
            subscriber.receive(completion: ending)
        }
        drain.leave()
        connect()
        return ending != nil
    }

    /// Does work in the caller's turn, and lets the connection do what is due.
    ///
    /// - Parameter sends: Whether the work is that of a sender, who may be left that of others, and not of a subscriber.
    // With an argument, because a closure that captures would be allocated for each value, also where nothing waits.
    @inlinable @inline(__always) package func perform<Argument>(
        _ argument: Argument, sends: Bool = false, _ work: @escaping (ReplayHub, Argument) -> Void
    ) {
        if drain.enter() || (sends ? drain.waitForTurn() : drain.waitToChange()) {
            work(self, argument)
            drain.leave()
        } else {
            drain.postpone { work(self, argument) }
        }
        connect()
    }

    /// Receives a value of upstream.
    ///
    /// - Returns: The demand to return to upstream.
    @inlinable @inline(__always) package func receive(_ value: Output, from connection: Connection)
        -> Subscribers.Demand
    {
        connection === self.connection ? put(value) : .none
    }

    /// Delivers a value to the subscribers that have demand and have received everything before it, and stores it for
    /// the others.
    ///
    /// - Returns: The demand to return to upstream.
    @inlinable @inline(__always) package func put(_ value: Output) -> Subscribers.Demand {
        guard keepsNothing, log.isRead else {
            append(value)
            serveAll()
            return .none
        }
        var following = members.first.map { Unmanaged.passUnretained($0) }
        while let member = following {
            let isServed = member._withUnsafeGuaranteedRef { member in
                if !member.outstanding.isPending { return false }
                var more = Subscribers.Demand.none
                if member.selects(value) {
                    if !member.outstanding.takeOne() { return false }
                    // Before the delivery, in which what else is wanted is requested.
                    member.position += 1
                    more = member.downstream.receive(value)
                    if more > .none { member.outstanding.add(more) }
                } else {
                    member.position += 1
                }
                if lead != nil { noteGoal(of: member) } else if more > .none { _ = isDone(member) }
                following = member.next.map { Unmanaged.passUnretained($0) }
                return true
            }
            if !isServed {
                store(value, from: member.takeUnretainedValue())
                return .none
            }
        }
        log.skip()
        return keepStepAfterValue()
    }

    /// Stores a value for a subscriber and those after it; the subscribers before it have received the value.
    @inlinable @inline(never) func store(_ value: Output, from waiting: Member) {
        append(value)
        var following = members.first
        while let member = following, member !== waiting {
            if var place = member.cursor.take() {
                log.move(&place)
                member.cursor = place
            }
            following = member.next
        }
        serveAll()
    }

    @inlinable package func append(_ value: Output) {
        log.append(value)
        age?.noteValue(of: log.capacity)
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>, of connection: Connection) {
        if connection !== self.connection { return }
        self.connection = nil
        use.withLock { $0.connection = nil }
        ending = completion
        memberTraits.store(SubscriptionTraits.waitsForDemand.rawValue, ordering: .relaxed)
        serveAll()
    }

    @inlinable package func join(_ member: Member, keeping sender: AnyObject?) {
        if member.outstanding.isClosed { return }
        if keptSender == nil, ending == nil { keptSender = sender }
        startAnewIfCancelled()
        if let age { log.forget(age.takeExpired()) }
        member.cursor = log.beginReading()
        member.position = log.total - log.count
        members.append(member)
        memberCount += 1
        if connection == nil, ending == nil, subscribe != nil, memberCount >= quorum { beginConnection() }
        serve(member)
        keepStep()
    }

    @inlinable package func serveAll() {
        var following = members.first
        while let member = following {
            following = member.next
            serve(member)
        }
        keepStep()
    }

    /// Delivers the logged values for which there is demand, then the completion if that is next, and requests the
    /// missing ones.
    @inlinable package func serve(_ member: Member) {
        deliverLogged(to: member)
        if lead != nil {
            noteGoal(of: member)
            if ending == nil { return }
        }
        if isDone(member) { finish(member) }
    }

    // Not inlined, as is the next: completions and subscriptions nest as deeply as the pipeline.
    @inlinable @inline(never) func deliverLogged(to member: Member) {
        guard var place = member.cursor else { return }
        while let value = place.pointee.value {
            // After it has cancelled, nothing is dropped on its behalf any more.
            let isWanted = member.outstanding.isClosed ? true : member.selects(value)
            if isWanted, !member.outstanding.takeOne() { return noteWaiting(for: member) }
            log.move(&place)
            member.cursor = place
            member.position += 1
            if isWanted { member.outstanding.add(member.downstream.receive(value)) }
        }
    }

    @inlinable @inline(never) func noteWaiting(for member: Member) {
        member.counts?.note(waiting: log.total - member.position)
    }

    /// Whether a subscriber has received everything; requests what it lacks.
    @inlinable @inline(never) func isDone(_ member: Member) -> Bool {
        guard let place = member.cursor else { return false }
        if ending != nil { return place == log.end }
        guard connection != nil, lead == nil else {
            if opensOnDemand, member.outstanding.isPending {
                opensOnDemand = false
                isConnectionDue.store(true, ordering: .relaxed)
            }
            return false
        }
        requestMissing(for: member)
        return false
    }

    @inlinable package func finish(_ member: Member) {
        let receiveCompletion = member.downstream.release()
        remove(member)
        if member.outstanding.close() != nil, let ending { receiveCompletion?(ending) }
    }

    @inlinable package func leave(_ member: Member) {
        let hasJoined = member.cursor != nil
        remove(member)
        if hasJoined, members.first != nil { keepStep() }
        startAnewIfCancelled()
    }

    @inlinable package func remove(_ member: Member) {
        _ = member.downstream.release()
        member.counts?.note(waiting: 0)
        guard let place = member.cursor.take() else { return }
        log.leave(place)
        memberCount -= 1
        forgetGoal(of: member)
        members.remove(member)
        if members.first == nil { keptSender = nil }
    }
}
