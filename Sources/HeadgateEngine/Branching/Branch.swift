import HeadgateCore
import HeadgateThread
import Synchronization

/// One of the publishers among which a conduit divides values, and the subscription of its one subscriber.
// Confined to the owner of the conduit's drain, except the account and the subscriber's flag.
@usableFromInline
package final class Branch<Label, Value, Failure: Error>: ConduitSubscription, SignalHandling,
    Linked
{
    /// What the conduit has to handle.
    @usableFromInline package enum Event {
        case isAttached(AnySubscriber<Value, Failure>)
        case hasDemand
        case isCancelled
    }

    /// Leads to the conduit, which retains the branch while values may be put in it.
    @usableFromInline let link: BranchLink

    /// Has the conduit handle an event.
    @usableFromInline let attend: (ConduitSubscription, Branch, Event) -> Void

    /// The conduit while values wait for the subscriber.
    // Or else a branch would keep it alive though its upstream has been deallocated.
    @exclusivity(unchecked) @usableFromInline var held: ConduitSubscription?

    @usableFromInline package let outstanding = OutstandingDemand()

    @usableFromInline let hasSubscriber = Atomic(false)

    /// The thread that is delivering the branch now.
    @usableFromInline let deliveringThread = Atomic<UInt>(0)

    @exclusivity(unchecked) @usableFromInline package var label: Label

    @exclusivity(unchecked) @usableFromInline var downstream = Downstream<Value, Failure>.released

    @exclusivity(unchecked) @usableFromInline var queue = Queue<Value>()

    /// How many of the waiting values hold upstream back.
    @exclusivity(unchecked) @usableFromInline var counted = 0

    /// Whether the subscriber has received a value.
    @exclusivity(unchecked) @usableFromInline var hasDelivered = false

    /// Whether the branch has not been delivered.
    @exclusivity(unchecked) @usableFromInline var isPending = true

    /// The completion, which follows the waiting values.
    // Returned by a closure, because a branch is released by code that isn't specialised, which would look up the type of
    // a stored completion.
    @exclusivity(unchecked) @usableFromInline var ending: (() -> Subscribers.Completion<Failure>)?

    // The position in a list of branches, the least recently used first.
    @exclusivity(unchecked) @usableFromInline package var next: Branch?

    @exclusivity(unchecked) @usableFromInline package unowned(unsafe) var previous: Branch?

    @inlinable package init<Host: Branching>(_ host: Host, _ label: Label) where Host.Output == Branch {
        link = host.link
        attend = Host.attending
        self.label = label
        super.init(handle: Branch.handling)
    }

    @inlinable package var host: ConduitSubscription? { link.host }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none, !isDeliveredByCaller, let host {
            attend(host, self, .hasDemand)
        }
    }

    @inlinable package func handleCancel() {
        if close(), let host { attend(host, self, .isCancelled) }
    }

    /// Closes the account of the subscriber, which receives nothing more.
    ///
    /// - Returns: Whether it was open.
    @inlinable func close() -> Bool {
        if outstanding.close() == nil { return false }
        _ = link.loseReceiver()
        return true
    }

    /// Whether the calling thread is inside the delivery of the branch, after which the conduit looks for a subscriber and
    /// its demand.
    ///
    /// The thread is then the owner of the conduit's drain.
    @inlinable var isDeliveredByCaller: Bool { deliveringThread.load(ordering: .relaxed) == headgate_thread() }

    /// Delivers a value for which one unit of demand has been taken.
    @inlinable @inline(__always) func deliver(_ value: Value) {
        hasDelivered = true
        let more = downstream.receive(value)
        if more > .none { outstanding.add(more) }
    }

    @usableFromInline package override var description: String { "Branch" }
}

/// The conduit to which branches belong, as long as it lives.
// One weak reference for all of them: to make and to destroy one takes longer than to retain this.
@usableFromInline package final class BranchLink {
    // Set once, before there is a branch.
    @exclusivity(unchecked) @usableFromInline weak var host: ConduitSubscription?

    /// How many subscribers may receive something: that of the branches, and those of each branch.
    ///
    /// Once nobody is left, upstream is cancelled, and those that come later are not counted when they come.
    @usableFromInline let receivers = Atomic(1)

    @inlinable init() {}

    /// Whether nobody may receive anything any more.
    @inlinable var hasNoReceiver: Bool { receivers.load(ordering: .acquiring) <= 0 }

    /// Counts a subscriber of a branch, unless nobody is left.
    @inlinable func gainReceiver() {
        var count = receivers.load(ordering: .relaxed)
        while count > 0 {
            let (isCounted, current) = receivers.weakCompareExchange(
                expected: count, desired: count + 1, ordering: .relaxed)
            if isCounted { return }
            count = current
        }
    }

    /// Counts a subscriber that has cancelled or received the completion.
    ///
    /// - Returns: Whether it was the last.
    @inlinable func loseReceiver() -> Bool { receivers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}

// Threads share only what is atomic or confined to the owner of the conduit's drain.
extension Branch: @unchecked Sendable where Value: Sendable {}

/// The values of a branch, for its one subscriber.
@usableFromInline package struct BranchValues<Label, Output, Failure: Error>: Publisher {
    @usableFromInline let branch: Branch<Label, Output, Failure>

    @usableFromInline let host: ConduitSubscription?

    /// - Parameter branch: A branch that is being delivered.
    @inlinable package init(branch: Branch<Label, Output, Failure>) {
        self.branch = branch
        host = branch.host
    }

    /// Attaches the one subscriber; any other finishes at once.
    @inlinable package func receive(subscriber: some Subscriber<Output, Failure>) {
        guard host != nil, !branch.hasSubscriber.exchange(true, ordering: .relaxed) else {
            return subscriber.complete(with: .finished)
        }
        branch.link.gainReceiver()
        subscriber.receive(subscription: branch)
        if branch.isDeliveredByCaller {
            branch.downstream = Downstream(AnySubscriber(subscriber))
        } else {
            attach(AnySubscriber(subscriber))
        }
    }

    /// Has the conduit attach the subscriber.
    // Not inlined, because the conduit would then be retained where it isn't needed.
    @inlinable @inline(never) func attach(_ subscriber: AnySubscriber<Output, Failure>) {
        if let host { branch.attend(host, branch, .isAttached(subscriber)) }
    }
}

extension BranchValues: @unchecked Sendable where Output: Sendable {}
