import HeadgateCore
import Synchronization

/// A `SerialDrain` whose owner asks upstreams for values only after it has stopped being the owner.
///
/// An upstream that answers at once then finds the drain empty: its values go straight through, and neither pile up
/// behind an owner that waits for `request(_:)` to return, nor run for ever without a chance to be cancelled. Requests
/// that come up while another is being made are left to whoever makes that one, so asking is as flat as delivering.
@usableFromInline package struct AskingDrain<Work>: ~Copyable {
    @usableFromInline package let drain = SerialDrain<Work>()

    @usableFromInline package let asks = AskList()

    @inlinable package init() {}

    /// Becomes the owner if there is none.
    @inlinable @inline(__always) package func enter() -> Bool { drain.enter() }

    /// Stops being the owner if there is nothing left to do or to ask.
    ///
    /// - Returns: Whether that was so. If it was not, `leaveSlowly` has to be called.
    @inlinable @inline(__always) package func leaveAtOnce() -> Bool { asks.next == nil && drain.exit() }

    /// Leaves work to the owner, or does it if there is none any more.
    @inlinable @inline(never) package func push(_ work: Work, _ perform: (Work) -> Void) {
        if drain.leaveBehind(work) { return }
        perform(work)
        leaveSlowly(perform)
    }

    /// Does a piece of work, now or when the present owner comes to it.
    @inlinable package func run(_ work: Work, _ perform: (Work) -> Void) {
        if enter() {
            perform(work)
            if !leaveAtOnce() { leaveSlowly(perform) }
        } else {
            push(work, perform)
        }
    }

    /// Asks an upstream once the drain has no owner; for the owner alone to call.
    @inlinable package func ask(_ subscription: any Subscription, for demand: Subscribers.Demand) {
        asks.append(AskList.Ask(subscription, demand))
    }

    /// Gives up what is still to be asked, because the stream has ended; for the owner alone to call.
    @inlinable package func forgetAsks() {
        asks.next = nil
        asks.others = Queue()
    }

    /// Stops being the owner, after doing whatever was left behind, and asks for what is due.
    @inlinable @inline(never) package func leaveSlowly(_ perform: (Work) -> Void) {
        // Through a copy of the reference, or ThreadSanitizer would take a change of what it leads to for a change of it.
        let asks = asks
        while true {
            drain.performRound(perform)
            let next = asks.next.take()
            var others = exchange(&asks.others, with: Queue())
            if drain.exit() {
                if let next { asks.perform(next) }
                while let ask = others.popFirst() { asks.perform(ask) }
                return
            }
            asks.next = next
            asks.others = others
        }
    }
}

/// What is to be asked of upstreams.
@usableFromInline package final class AskList {
    @usableFromInline package struct Ask {
        @usableFromInline package let subscription: any Subscription

        @usableFromInline package let demand: Subscribers.Demand

        @inlinable package init(_ subscription: any Subscription, _ demand: Subscribers.Demand) {
            self.subscription = subscription
            self.demand = demand
        }
    }

    @usableFromInline package let asking = SerialDrain<Ask>()

    // The next two belong to the owner of the other drain, hence unchecked. There is seldom more than one ask, and that
    // one has a place that needs no allocation.
    @exclusivity(unchecked) @usableFromInline package var next: Ask?

    @exclusivity(unchecked) @usableFromInline package var others = Queue<Ask>()

    @inlinable package init() {}

    @inlinable package func append(_ ask: Ask) {
        if next == nil { next = ask } else { others.append(ask) }
    }

    @inlinable package func perform(_ ask: Ask) {
        asking.run(ask) { $0.subscription.request($0.demand) }
    }
}
