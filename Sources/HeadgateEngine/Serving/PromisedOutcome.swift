import HeadgateCore

/// A promised value or failure, and the subscribers that wait for it.
///
/// It lives as long as something that may fulfill the promise or wait for the outcome. Subscriptions don't retain it.
// Threads share only what a lock guards.
@usableFromInline package final class PromisedOutcome<Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline struct Waiting {
        @usableFromInline let conduit: OnceConduit

        @usableFromInline let subscriber: AnySubscriber<Output, Failure>

        @inlinable init(conduit: OnceConduit, subscriber: AnySubscriber<Output, Failure>) {
            self.conduit = conduit
            self.subscriber = subscriber
        }

        /// Delivers the outcome to the subscriber; a completion without a value doesn't wait for demand.
        @inlinable func resume(with ending: Ending) {
            switch ending {
            case .value(let value): conduit.fulfill(subscriber.delivery(of: value))
            case .end(let completion): if conduit.finish() { subscriber.receive(completion: completion) }
            }
        }
    }

    @usableFromInline enum Ending {
        case value(Output)
        /// A failure, or a promise that can't be fulfilled any more.
        case end(Subscribers.Completion<Failure>)
    }

    // Guards the three variables below, which aren't inside it: the `deinit` of a generic class runs unspecialised, and
    // would look up the metadata of a state. A dictionary and a closure need none.
    @usableFromInline let lock = Lock()

    /// The subscribers, numbered in the order of subscription; numbers aren't reused.
    @exclusivity(unchecked) @usableFromInline var waiting: [Int: Waiting] = [:]

    @exclusivity(unchecked) @usableFromInline var next = 0

    /// Returns the outcome, once it is known.
    @exclusivity(unchecked) @usableFromInline var ending: (() -> Ending)?

    @usableFromInline let name: StaticString

    @inlinable package init(name: StaticString) { self.name = name }

    /// Fulfills the promise, unless it has been fulfilled.
    @inlinable package func fulfill(_ result: Result<Output, Failure>) {
        switch result {
        case .success(let value): end(with: .value(value))
        case .failure(let failure): end(with: .end(.failure(failure)))
        }
    }

    /// Called when nothing can fulfill the promise any more.
    // Runs unspecialised, from a `deinit`: apart from `finish()`, so that only that looks up the metadata of an ending.
    @inlinable package func abandon() {
        if lock.withLock({ ending == nil }) { finish() }
    }

    @inlinable @inline(never) func finish() { end(with: .end(.finished)) }

    @inlinable func end(with ending: Ending) {
        let first: () -> Ending = { ending }
        let waiting: [Int: Waiting] = lock.withLock {
            if self.ending != nil { return [:] }
            self.ending = first
            return exchange(&self.waiting, with: [:])
        }
        if waiting.isEmpty { return }
        for (_, member) in waiting.sorted(by: { $0.key < $1.key }) { member.resume(with: ending) }
    }

    /// Attaches a subscriber to the outcome.
    @inlinable package func connect(_ subscriber: some Subscriber<Output, Failure>) {
        // A position in the order, unless the outcome is known.
        let (number, known): (Int, (() -> Ending)?) = lock.withLock {
            if self.ending == nil { next += 1 }
            return (next, self.ending)
        }
        let ending = known?()
        if case .value(let value) = ending { return subscriber.serve(only: value, name: name) }
        let conduit = OnceConduit(name: name, leave: { [weak self] _ in self?.leave(number) })
        // The subscription is sent first, so that nothing that happens meanwhile can overtake it.
        subscriber.receive(subscription: conduit)
        if conduit.gate.isClosed { return }
        let member = Waiting(conduit: conduit, subscriber: AnySubscriber(subscriber))
        if let ending = ending ?? join(member, number)?() { return member.resume(with: ending) }
        // It may have cancelled before it was in the list.
        if conduit.gate.isClosed { leave(number) }
    }

    /// Adds a subscriber to the list.
    ///
    /// - Returns: What returns the outcome, if it has become known meanwhile.
    @inlinable func join(_ member: Waiting, _ number: Int) -> (() -> Ending)? {
        lock.withLock {
            if ending == nil { waiting[number] = member }
            return ending
        }
    }

    @inlinable func leave(_ number: Int) {
        // What is removed is released when this returns, outside the lock.
        _ = lock.withLock { waiting.removeValue(forKey: number) }
    }
}
