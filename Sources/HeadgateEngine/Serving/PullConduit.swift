import HeadgateCore

/// Serves one subscriber from an iterator: exactly as many elements as are asked for, and the completion behind the
/// last one.
///
/// Whoever raises the outstanding demand from none delivers; demand that arrives meanwhile, from inside the delivery or
/// from another thread, is added and left to the loop that is running. So delivery is serial and flat. To know whether
/// an element is the last one, the iterator is asked for the next behind every delivery.
@usableFromInline
package final class PullConduit<Iterator: IteratorProtocol, Downstream: Subscriber>: ConduitSubscription
where Downstream.Input == Iterator.Element {
    @usableFromInline package struct State {
        @usableFromInline package var iterator: Iterator

        @usableFromInline package var next: Iterator.Element

        @usableFromInline package let completion: Subscribers.Completion<Downstream.Failure>

        @usableFromInline package let downstream: Downstream

        @inlinable package init(
            iterator: Iterator, next: Iterator.Element, completion: Subscribers.Completion<Downstream.Failure>,
            downstream: Downstream
        ) {
            self.iterator = iterator
            self.next = next
            self.completion = completion
            self.downstream = downstream
        }
    }

    @usableFromInline package let outstanding = OutstandingDemand()

    // Behind a pointer, because the `deinit` of a generic class runs unspecialised: given these members it would look
    // up the metadata of each, at ten times the price of the allocation. `release()` runs specialised.
    //
    // The state is used by one thread at a time, the one that raised `outstanding` from none or closed it.
    @usableFromInline package let state: UnsafeMutablePointer<State>

    // Likewise, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var isReleased = false

    /// What a log shows: this, described.
    @usableFromInline package let label: Any

    @inlinable package init(_ state: State, label: Any) {
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
        self.label = label
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: PullConduit.self)
            switch signal {
            case .request(let demand): conduit.handleRequest(demand)
            case .cancel: conduit.handleCancel()
            }
        }
    }

    @inlinable deinit {
        if !isReleased { release() }
    }

    @inlinable package func handleRequest(_ demand: Subscribers.Demand) {
        if outstanding.add(demand) == Subscribers.Demand.none { serve(demand) }
    }

    @inlinable package func handleCancel() {
        // With demand outstanding a delivery is under way, which looks at the account behind every element.
        if outstanding.close() == Subscribers.Demand.none { release() }
    }

    /// Delivers until there is no demand, nothing to deliver, or nobody to deliver to.
    @inlinable package func serve(_ demand: Subscribers.Demand) {
        var served = demand
        var due = demand
        while due == .unlimited ? deliverEverything() : deliver(due) {
            if outstanding.settle(served) { return }
            let current = outstanding.current
            due = current - served
            served = current
        }
        release()
    }

    /// Delivers as many elements as are due.
    ///
    /// - Returns: Whether the stream goes on.
    @inlinable package func deliver(_ due: Subscribers.Demand) -> Bool {
        let downstream = state.pointee.downstream
        var due = due
        while due > .none {
            due -= 1
            due += downstream.receive(state.pointee.next)
            if outstanding.isClosed { return false }
            guard let next = state.pointee.iterator.next() else { return finish(downstream) }
            state.pointee.next = next
            if due == .unlimited {
                outstanding.add(.unlimited)
                break
            }
        }
        return !outstanding.isClosed
    }

    /// Delivers all that is left, without arithmetic.
    ///
    /// - Returns: Whether the stream goes on, which it does not.
    @inlinable package func deliverEverything() -> Bool {
        let downstream = state.pointee.downstream
        var iterator = state.pointee.iterator
        var next = state.pointee.next
        while true {
            _ = downstream.receive(next)
            if outstanding.isClosed { return false }
            guard let following = iterator.next() else { return finish(downstream) }
            next = following
        }
    }

    @inlinable package func finish(_ downstream: Downstream) -> Bool {
        if outstanding.close() != nil { downstream.receive(completion: state.pointee.completion) }
        return false
    }

    @inlinable package func release() {
        isReleased = true
        state.deinitialize(count: 1)
        state.deallocate()
    }

    @usableFromInline package override var description: String { String(describing: label) }

    @usableFromInline package override var answersDemandAtOnce: Bool { true }
}

extension Swift.Sequence {
    /// Connects a subscriber to the elements, or completes at once where there are none.
    @inlinable package func connect<Downstream: Subscriber>(
        to downstream: Downstream, completion: Subscribers.Completion<Downstream.Failure> = .finished, label: Any
    ) where Downstream.Input == Element {
        var iterator = makeIterator()
        guard let first = iterator.next() else {
            downstream.connect(toEnd: completion)
            return
        }
        let state = PullConduit<Iterator, Downstream>.State(
            iterator: iterator, next: first, completion: completion, downstream: downstream)
        downstream.receive(subscription: PullConduit(state, label: label))
    }
}
