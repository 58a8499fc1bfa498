import HeadgateCore

/// Pairs the values of two upstreams.
///
/// Everything that happens on either side goes through one drain, so that pairs are delivered one at a time whatever the
/// threads.
@usableFromInline package final class ZipConduit<First, Second, Failure: Error>: ConduitSubscription {
    @usableFromInline package enum Event {
        case firstSubscription(any Subscription)
        case secondSubscription(any Subscription)
        case first(First)
        case second(Second)
        case firstEnd(Subscribers.Completion<Failure>)
        case secondEnd(Subscribers.Completion<Failure>)
        case request(Subscribers.Demand)
        case cancel
    }

    @usableFromInline package let drain = AskingDrain<Event>()

    /// The demand for pairs.
    @usableFromInline package let outstanding = OutstandingDemand()

    // By these, upstreams are cancelled: at once, and not when the owner of the drain comes to it, who may be asking a side
    // that looks for its answer for ever.
    @usableFromInline package let firstSlot = SubscriptionSlot()

    @usableFromInline package let secondSlot = SubscriptionSlot()

    // The next four are used by the owner of the drain, hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var first = ZipSide<First>()

    @exclusivity(unchecked) @usableFromInline package var second = ZipSide<Second>()

    @exclusivity(unchecked) @usableFromInline package var downstream: AnySubscriber<(First, Second), Failure>?

    @exclusivity(unchecked) @usableFromInline package var hasEnded = false

    @inlinable package init(_ downstream: AnySubscriber<(First, Second), Failure>) {
        self.downstream = downstream
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: ZipConduit.self)
            switch signal {
            case .request(let demand):
                if conduit.outstanding.add(demand) != nil { conduit.perform(.request(demand)) }
            case .cancel:
                if conduit.outstanding.close() == nil { return }
                conduit.firstSlot.cancel()
                conduit.secondSlot.cancel()
                conduit.perform(.cancel)
            }
        }
    }

    /// Connects a subscriber to the pairs of two publishers.
    @inlinable package static func connect<A: Publisher, B: Publisher, S: Subscriber>(_ a: A, _ b: B, to subscriber: S)
    where
        A.Output == First, B.Output == Second, S.Input == (First, Second),
        A.Failure == Failure, B.Failure == Failure, S.Failure == Failure
    {
        let conduit = ZipConduit(AnySubscriber(subscriber))
        // What the upstreams say before the subscriber has its subscription comes behind that.
        _ = conduit.drain.enter()
        a.receive(subscriber: FirstZipSubscriber(conduit: conduit))
        b.receive(subscriber: SecondZipSubscriber(conduit: conduit))
        subscriber.receive(subscription: conduit)
        conduit.drain.leaveSlowly { conduit.performNow($0) }
    }

    @inlinable package func perform(_ event: Event) {
        drain.run(event) { performNow($0) }
    }

    @inlinable package func performNow(_ event: Event) {
        if hasEnded {
            // What is under way when the stream ends comes to nothing, but a subscription has to be cancelled.
            switch event {
            case .firstSubscription(let subscription), .secondSubscription(let subscription): subscription.cancel()
            default: break
            }
            return
        }
        switch event {
        case .firstSubscription(let subscription):
            if firstSlot.fill(with: subscription) {
                first.connect(to: subscription)
                pair()
            }
        case .secondSubscription(let subscription):
            if secondSlot.fill(with: subscription) {
                second.connect(to: subscription)
                pair()
            }
        case .first(let value):
            first.queue.append(value)
            pair()
        case .second(let value):
            second.queue.append(value)
            pair()
        case .firstEnd(let completion):
            first.hasEnded = true
            _ = firstSlot.close()
            end(completion)
        case .secondEnd(let completion):
            second.hasEnded = true
            _ = secondSlot.close()
            end(completion)
        case .request(let demand):
            passOn(demand)
            pair()
        case .cancel:
            release()
        }
    }

    /// Delivers the pairs that are complete and asks for more, until nobody answers at once.
    @inlinable package func pair() {
        guard let receiveValue = downstream?.onValue else { return }
        while !hasEnded, !outstanding.isClosed {
            if let left = first.queue.first, let right = second.queue.first {
                // What comes unasked for waits.
                guard outstanding.takeOne() else { return }
                first.queue.removeFirst()
                second.queue.removeFirst()
                let more = receiveValue((left, right))
                if outstanding.add(more) != nil { passOn(more) }
            } else if first.isExhausted || second.isExhausted {
                finish(.finished)
            } else if !askFirst(), !askSecond() {
                return
            }
        }
    }

    @inlinable package func passOn(_ demand: Subscribers.Demand) {
        first.credit += demand
        second.credit += demand
    }

    /// Asks the first side for what it owes.
    ///
    /// - Returns: Whether it answered at once.
    @inlinable package func askFirst() -> Bool {
        guard let upstream = first.upstream, let demand = first.demand() else { return false }
        if !first.isAskedOneByOne {
            drain.ask(upstream, for: demand)
            return false
        }
        upstream.request(demand)
        first.isAnswering = false
        return !first.queue.isEmpty
    }

    /// Asks the second side for what it owes.
    ///
    /// - Returns: Whether it answered at once.
    @inlinable package func askSecond() -> Bool {
        guard let upstream = second.upstream, let demand = second.demand() else { return false }
        if !second.isAskedOneByOne {
            drain.ask(upstream, for: demand)
            return false
        }
        upstream.request(demand)
        second.isAnswering = false
        return !second.queue.isEmpty
    }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: pair()
        case .failure: finish(completion)
        }
    }

    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) {
        let downstream = self.downstream
        let isOpen = outstanding.close() != nil
        release()
        if isOpen { downstream?.receive(completion: completion) }
    }

    @inlinable package func release() {
        hasEnded = true
        drain.forgetAsks()
        downstream = nil
        first.release()
        second.release()
        firstSlot.cancel()
        secondSlot.cancel()
    }

    @usableFromInline package override var description: String { "Zip" }
}

@usableFromInline package struct FirstZipSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: ZipConduit<First, Second, Failure>

    @inlinable package init(conduit: ZipConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.perform(.firstSubscription(subscription))
    }

    @inlinable package func receive(_ input: First) -> Subscribers.Demand {
        if conduit.first.isAnswering {
            conduit.first.queue.append(input)
        } else {
            conduit.perform(.first(input))
        }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        conduit.perform(.firstEnd(completion))
    }
}

@usableFromInline package struct SecondZipSubscriber<First, Second, Failure: Error>: Subscriber {
    @usableFromInline package let conduit: ZipConduit<First, Second, Failure>

    @inlinable package init(conduit: ZipConduit<First, Second, Failure>) { self.conduit = conduit }

    @inlinable package var combineIdentifier: CombineIdentifier { conduit.combineIdentifier }

    @inlinable package func receive(subscription: any Subscription) {
        conduit.perform(.secondSubscription(subscription))
    }

    @inlinable package func receive(_ input: Second) -> Subscribers.Demand {
        if conduit.second.isAnswering {
            conduit.second.queue.append(input)
        } else {
            conduit.perform(.second(input))
        }
        return .none
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        conduit.perform(.secondEnd(completion))
    }
}
