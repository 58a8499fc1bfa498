import HeadgateCore
import Synchronization

/// Merges the values of any number of publishers, which may join while others are already delivering.
///
/// While demand is unlimited, every member is asked for everything and its values go straight through. Otherwise every
/// member is asked for one value, and for the next when that one has been delivered; values that nobody has asked for
/// yet wait in one queue, at most one of each member, so members take turns.
///
/// Members are attached and asked outside the drain, so that one that answers at once delivers directly.
@usableFromInline package final class MergeConduit<Output, Failure: Error>: ConduitSubscription {
    @usableFromInline package enum Event {
        case join(MergeMember, any Subscription)
        case value(MergeMember, Output)
        case only(Output)
        case end(MergeMember, Subscribers.Completion<Failure>)
        case demand
        case cancel
        case feeder(any Subscription)
        case feederEnd(Subscribers.Completion<Failure>)
    }

    @usableFromInline package let drain = AskingDrain<Event>()

    @usableFromInline package let outstanding = OutstandingDemand()

    /// How many publishers may still say something: the members, and the feeder if there is one.
    @usableFromInline package let living: Atomic<Int>

    /// How many members the feeder may have brought at a time.
    @usableFromInline package let limit: Subscribers.Demand

    @usableFromInline package let name: StaticString

    // The members below belong to the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var downstream: Downstream<Output, Failure>

    /// What has come and waits for demand, with whom it is from.
    @exclusivity(unchecked) @usableFromInline package var queue = Queue<(MergeMember, Output)>()

    @exclusivity(unchecked) @usableFromInline package var members: ContiguousArray<MergeMember> = []

    /// The subscription to the publisher that brings members.
    @exclusivity(unchecked) @usableFromInline package var feeder: (any Subscription)?

    /// Whether every member is asked for everything.
    @exclusivity(unchecked) @usableFromInline package var isOpen = false

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    // Used inside the feeder's deliveries alone, and those are serial; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var feederHasEnded = false

    /// Makes the conduit.
    ///
    /// - Parameters:
    ///   - count: The number of members that are going to be attached, the feeder included.
    ///   - limit: How many members the feeder may have brought at a time.
    @inlinable package init(
        name: StaticString, count: Int, limit: Subscribers.Demand = .unlimited,
        _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.name = name
        self.limit = limit
        self.downstream = Downstream(downstream)
        living = Atomic(count)
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: MergeConduit.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.perform(.cancel) }
            }
        }
    }

    /// A subscriber for one more of the publishers that are merged.
    @inlinable package func member() -> MergeSubscriber<Output, Failure> {
        MergeSubscriber(conduit: self, member: MergeMember())
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        guard let before = outstanding.add(demand) else { return }
        // With demand left, nothing waits; the queue is served by whoever raises the demand from none.
        if before == .none || before != .unlimited && before + demand == .unlimited { perform(.demand) }
    }

    @inlinable package func perform(_ event: Event) {
        drain.run(event) { performNow($0) }
    }

    /// Stops being the owner of the drain.
    @inlinable @inline(__always) package func leave() {
        if !drain.leaveAtOnce() { leaveSlowly() }
    }

    @inlinable @inline(never) package func leaveSlowly() {
        drain.leaveSlowly { performNow($0) }
    }

    /// Leaves work to the owner of the drain.
    @inlinable @inline(never) package func push(_ event: Event) {
        drain.push(event) { performNow($0) }
    }

    @inlinable package func performNow(_ event: Event) {
        switch event {
        case .join(let member, let subscription):
            if let demand = register(member, subscription) { drain.ask(subscription, for: demand) }
        case .value(let member, let value):
            if deliver(value, from: member) { askAgain(member) }
        case .only(let value):
            if deliver(only: value), limit != .unlimited, let feeder { drain.ask(feeder, for: .max(1)) }
        case .end(let member, let completion):
            end(member, completion)
        case .demand:
            if outstanding.isUnlimited { openAll() }
            serve()
        case .cancel:
            release()
        case .feeder(let subscription):
            if register(feeder: subscription) { drain.ask(subscription, for: limit) }
        case .feederEnd(let completion):
            feeder = nil
            hasOneLess(completion)
        }
    }

    /// Takes a member in.
    ///
    /// - Returns: What to ask it for, or `nil` if it is not wanted.
    @inlinable package func register(_ member: MergeMember, _ subscription: any Subscription) -> Subscribers.Demand? {
        if hasEnded || member.hasEnded || member.subscription != nil {
            subscription.cancel()
            return nil
        }
        member.subscription = subscription
        member.position = members.count
        members.append(member)
        member.isOpen = isOpen
        return isOpen ? .unlimited : .max(1)
    }

    /// Delivers a value, or lets it wait.
    ///
    /// - Returns: Whether its member is to be asked for the next one.
    @inlinable @inline(__always) package func deliver(_ value: Output, from member: MergeMember) -> Bool {
        if hasEnded || member.hasEnded { return false }
        if queue.isEmpty, outstanding.takeOne() {
            add(downstream.receive(value))
            return !member.isOpen && !outstanding.isClosed
        }
        if !outstanding.isClosed {
            member.waiting += 1
            queue.append((member, value))
        }
        return false
    }

    /// Delivers what waits, as far as it is wanted.
    @inlinable package func serve() {
        while let (member, value) = queue.first, outstanding.takeOne() {
            queue.removeFirst()
            member.waiting -= 1
            add(downstream.receive(value))
            if hasEnded { return }
            if member.hasEnded { askFeeder(inPlaceOf: member) } else { askAgain(member) }
        }
        finishIfDone()
    }

    @inlinable @inline(__always) package func add(_ demand: Subscribers.Demand) {
        if demand == .none { return }
        outstanding.add(demand)
        if !isOpen, outstanding.isUnlimited { openAll() }
    }

    @inlinable package func askAgain(_ member: MergeMember) {
        if !member.isOpen, let subscription = member.subscription { drain.ask(subscription, for: .max(1)) }
    }

    /// Asks the feeder for another member when one has ended and everything that it said has been delivered.
    @inlinable package func askFeeder(inPlaceOf member: MergeMember) {
        if limit != .unlimited, member.waiting == 0, let feeder { drain.ask(feeder, for: .max(1)) }
    }

    @usableFromInline package func openAll() {
        if isOpen { return }
        isOpen = true
        for member in members {
            member.isOpen = true
            if let subscription = member.subscription { drain.ask(subscription, for: .unlimited) }
        }
    }

    @inlinable package func end(_ member: MergeMember, _ completion: Subscribers.Completion<Failure>) {
        if hasEnded || member.hasEnded { return }
        member.hasEnded = true
        member.subscription = nil
        unregister(member)
        if case .finished = completion { askFeeder(inPlaceOf: member) }
        hasOneLess(completion)
    }

    /// Takes a member out; the last one moves to its place.
    @inlinable package func unregister(_ member: MergeMember) {
        if member.position < 0 { return }
        let last = members.removeLast()
        if last !== member {
            members[member.position] = last
            last.position = member.position
        }
        member.position = -1
    }

    @inlinable package func hasOneLess(_ completion: Subscribers.Completion<Failure>) {
        if hasEnded { return }
        living.subtract(1, ordering: .relaxed)
        switch completion {
        case .finished: finishIfDone()
        case .failure: finish(completion)
        }
    }

    @inlinable package func finishIfDone() {
        if living.load(ordering: .relaxed) == 0, queue.isEmpty, !hasEnded { finish(.finished) }
    }

    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) {
        let isOpen = outstanding.close() != nil
        let receiveCompletion = release()
        if isOpen { receiveCompletion?(completion) }
    }

    /// Cancels whoever has not ended, and lets go of everything.
    ///
    /// - Returns: How to tell the subscriber of the end.
    @inlinable @discardableResult package func release() -> ((Subscribers.Completion<Failure>) -> Void)? {
        hasEnded = true
        drain.forgetAsks()
        queue = Queue()
        let members = exchange(&self.members, with: [])
        feeder.take()?.cancel()
        for member in members { member.subscription.take()?.cancel() }
        return downstream.release()
    }

    @usableFromInline package override var description: String { name.description }
}
