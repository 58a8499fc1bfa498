import HeadgateCore
import Synchronization

/// The upstreams that a subject is attached to. They are asked for everything as soon as anybody wants anything.
@usableFromInline
struct UpstreamList: ~Copyable {
    @usableFromInline
    enum State {
        /// Nobody has asked for a value yet.
        case waiting([any Subscription])
        case open([any Subscription])
        case cancelled
    }

    @usableFromInline
    let state = Guarded(State.waiting([]))

    // A copy of "not waiting", for the path that is taken at every request.
    @usableFromInline
    let isOpen = Atomic(false)

    @inlinable
    init() {}

    @usableFromInline
    func add(_ subscription: any Subscription) {
        let demand: Subscribers.Demand? = state.withLock {
            switch $0 {
            case .waiting(let subscriptions):
                $0 = .waiting(subscriptions + [subscription])
                return Subscribers.Demand.none
            case .open(let subscriptions):
                $0 = .open(subscriptions + [subscription])
                return .unlimited
            case .cancelled:
                return nil
            }
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    @inlinable
    func open() {
        if !isOpen.load(ordering: .relaxed) { requestEverything() }
    }

    @usableFromInline
    func requestEverything() {
        isOpen.store(true, ordering: .relaxed)
        let waiting: [any Subscription] = state.withLock {
            guard case .waiting(let subscriptions) = $0 else { return [] }
            $0 = .open(subscriptions)
            return subscriptions
        }
        for subscription in waiting { subscription.request(.unlimited) }
    }

    @usableFromInline
    func cancel() {
        let old = state.withLock {
            let old = $0
            $0 = .cancelled
            return old
        }
        switch old {
        case .waiting(let subscriptions), .open(let subscriptions):
            for subscription in subscriptions { subscription.cancel() }
        case .cancelled:
            break
        }
    }
}
