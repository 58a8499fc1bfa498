import HeadgateCore

/// A promised value or failure, and the subscribers that wait for it.
///
/// It lives as long as something that may fulfill the promise or ask for the outcome. Subscriptions don't retain it.
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

    @usableFromInline enum State {
        /// Numbered in the order of subscription; numbers aren't reused.
        case pending(waiting: [Int: Waiting], next: Int)
        case ended(Ending)
    }

    @usableFromInline let state = Guarded(State.pending(waiting: [:], next: 0))

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
    @inlinable package func abandon() { end(with: .end(.finished)) }

    @inlinable func end(with ending: Ending) {
        let waiting: [Int: Waiting] = state.withLock {
            guard case .pending(let waiting, _) = $0 else { return [:] }
            $0 = .ended(ending)
            return waiting
        }
        for (_, member) in waiting.sorted(by: { $0.key < $1.key }) { member.resume(with: ending) }
    }

    /// Attaches a subscriber to the outcome.
    @inlinable package func connect(_ subscriber: some Subscriber<Output, Failure>) {
        // A position in the order, unless the outcome is known.
        let (number, ending): (Int, Ending?) = state.withLock {
            switch $0 {
            case .pending(let waiting, let next):
                $0 = .pending(waiting: waiting, next: next + 1)
                return (next, nil)
            case .ended(let ending):
                return (0, ending)
            }
        }
        if case .value(let value) = ending { return subscriber.serve(only: value, name: name) }
        let conduit = OnceConduit(name: name, leave: { [weak self] _ in self?.leave(number) })
        // The subscription is sent first, so that nothing that happens meanwhile can overtake it.
        subscriber.receive(subscription: conduit)
        if conduit.gate.isClosed { return }
        let member = Waiting(conduit: conduit, subscriber: AnySubscriber(subscriber))
        if let ending = ending ?? join(member, number) { return member.resume(with: ending) }
        // It may have cancelled before it was in the list.
        if conduit.gate.isClosed { leave(number) }
    }

    /// Adds a subscriber to the list.
    ///
    /// - Returns: The outcome, if it has become known meanwhile.
    @inlinable func join(_ member: Waiting, _ number: Int) -> Ending? {
        state.withLock {
            guard case .pending(var waiting, let next) = $0 else {
                return if case .ended(let ending) = $0 { ending } else { nil }
            }
            $0 = .pending(waiting: [:], next: next)
            waiting[number] = member
            $0 = .pending(waiting: waiting, next: next)
            return nil
        }
    }

    @inlinable func leave(_ number: Int) {
        // What is removed is released when this returns, outside the lock.
        _ = state.withLock { state -> Waiting? in
            guard case .pending(var waiting, let next) = state else { return nil }
            state = .pending(waiting: [:], next: next)
            let member = waiting.removeValue(forKey: number)
            state = .pending(waiting: waiting, next: next)
            return member
        }
    }
}
