import HeadgateCore

/// One of the publishers that a `MergeConduit` merges.
// Belongs to the owner of the conduit's drain, hence unchecked.
@usableFromInline package final class MergeMember {
    @exclusivity(unchecked) @usableFromInline package var subscription: (any Subscription)?

    /// The place in the conduit's list, negative outside it.
    @exclusivity(unchecked) @usableFromInline package var position = -1

    /// How many values of this member wait for demand.
    @exclusivity(unchecked) @usableFromInline package var waiting = 0

    /// Whether this member has been asked for everything.
    @exclusivity(unchecked) @usableFromInline package var isOpen = false

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    @inlinable package init() {}
}

/// What subscribes to a publisher that is merged with others.
@usableFromInline package struct MergeSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: MergeConduit<Input, Failure>

    @usableFromInline package let member: MergeMember

    @inlinable package init(conduit: MergeConduit<Input, Failure>, member: MergeMember) {
        self.conduit = conduit
        self.member = member
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(member) }

    @inlinable package func receive(subscription: any Subscription) {
        if conduit.drain.enter() {
            let demand = conduit.register(member, subscription)
            conduit.leave()
            if let demand { subscription.request(demand) }
        } else {
            conduit.push(.join(member, subscription))
        }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.drain.enter() {
            let isToBeAskedAgain = conduit.deliver(input, from: member)
            conduit.leave()
            return isToBeAskedAgain ? .max(1) : .none
        }
        conduit.push(.value(member, input))
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.drain.enter() {
            conduit.end(member, completion)
            conduit.leave()
        } else {
            conduit.push(.end(member, completion))
        }
    }
}
