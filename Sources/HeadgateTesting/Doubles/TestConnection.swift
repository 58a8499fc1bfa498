import HeadgateCore

/// The state of a test publisher for one subscriber.
final class TestConnection<Output, Failure: Error>: @unchecked Sendable {
    // All state is guarded by the lock; the subscriber is called, and released, outside it.

    typealias Call = TestPublisher<Output, Failure>.Call

    private struct State {
        var downstream: AnySubscriber<Output, Failure>?
        var isOpen = true
        var hasSubscription = false
        var isAbandoned = false
        var outstanding = Subscribers.Demand.none
        var isServing = false
        var served = 0
    }

    private struct WeakSubscription {
        weak var subscription: TestSubscription<Output, Failure>?
    }

    private let state: Guarded<State>

    // Its lock is another: reading the reference may release the subscription, which calls `abandon()`.
    private let lastSubscription = Guarded(WeakSubscription())
    private let stock: [Output]
    private let ending: Subscribers.Completion<Failure>?
    private let keepsSubscriber: Bool
    private weak let publisher: TestPublisher<Output, Failure>?
    private let number: Int

    /// - Parameter number: The place of the subscriber among those of the publisher.
    init(_ downstream: AnySubscriber<Output, Failure>, to publisher: TestPublisher<Output, Failure>, number: Int) {
        stock = publisher.stock
        ending = publisher.ending
        keepsSubscriber = publisher.keepsSubscribers
        self.publisher = publisher
        self.number = number
        // All access takes the lock.
        nonisolated(unsafe) let first = State(downstream: downstream)
        state = Guarded(first)
    }

    /// Whether the subscription has been released.
    var isSubscriptionReleased: Bool { lastSubscription.withLock { $0.subscription == nil } }

    var isOpen: Bool { state.withLock { $0.isOpen } }
    var outstanding: Subscribers.Demand { state.withLock { $0.outstanding } }
    private var downstream: AnySubscriber<Output, Failure>? { state.withLock { $0.downstream } }

    /// Sends the subscriber a subscription; the first one leads here, others are expected to be refused.
    func subscribe() -> TestSubscription<Output, Failure> {
        let isFirst = state.withLock { !exchange(&$0.hasSubscription, with: true) }
        let subscription = TestSubscription(isFirst ? self : nil)
        if isFirst { lastSubscription.withLock { $0.subscription = subscription } }
        downstream?.receive(subscription: subscription)
        if isFirst { serve() }
        return subscription
    }

    private func note(_ call: Call) { publisher?.note(call, of: number) }

    func request(_ demand: Subscribers.Demand) {
        note(.request(demand))
        state.withLock { $0.outstanding += demand }
        if let publisher { publisher.onRequest(publisher, demand) }
        serve()
    }

    func cancel() {
        note(.cancel)
        if publisher?.finishesInsideCancel ?? false { end(.finished) }
        _ = close()
    }

    /// Stops because the subscription was released and can't be cancelled any more.
    func abandon() {
        if keepsSubscriber { return }
        let wasOpen = close().wasOpen
        if wasOpen { state.withLock { $0.isAbandoned = true } }
    }

    /// Whether the subscription was released before the end and without `cancel()`.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// - Returns: Whether it was open, and the subscriber, to be released outside the lock.
    private func close() -> (wasOpen: Bool, downstream: AnySubscriber<Output, Failure>?) {
        state.withLock { state in
            let old = (state.isOpen, state.downstream)
            state.isOpen = false
            if !keepsSubscriber { state.downstream = nil }
            return old
        }
    }

    func deliver(_ value: Output) -> Bool {
        let isWanted = state.withLock { state in
            if !state.isOpen || state.outstanding == .none { return false }
            state.outstanding -= 1
            return true
        }
        if isWanted { force(value) }
        return isWanted
    }

    func force(_ value: Output) {
        guard let downstream else { return }
        let more = downstream.receive(value)
        if more > .none { note(.answer(more)) }
        state.withLock { $0.outstanding += more }
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        let (wasOpen, downstream) = close()
        if !wasOpen { return }
        publisher?.draw(.end, on: .subscription, of: number)
        downstream?.receive(completion: completion)
    }

    func force(completion: Subscribers.Completion<Failure>) {
        let downstream = close().downstream
        downstream?.receive(completion: completion)
    }

    /// Serves from the stock.
    ///
    /// A request from inside a delivery is served by the loop that is running.
    private func serve() {
        if stock.isEmpty && ending == nil { return }
        if state.withLock({ exchange(&$0.isServing, with: true) }) { return }
        var next = takeIndex()
        while let index = next.index {
            force(stock[index])
            next = takeIndex()
        }
        if next.isServed, let ending { end(ending) }
    }

    /// - Returns: The index of the value to serve next; `nil` if there is none, and the next request has to serve
    ///   again. Then, whether the whole stock has been delivered.
    private func takeIndex() -> (index: Int?, isServed: Bool) {
        state.withLock { state in
            guard state.isOpen, state.outstanding > .none, state.served < stock.count else {
                // Under the same lock, so that no demand arrives in between and stays unserved, and nobody completes
                // the stream while another caller, who serves that demand, delivers the last value.
                state.isServing = false
                return (nil, state.served == stock.count)
            }
            state.outstanding -= 1
            state.served += 1
            return (state.served - 1, false)
        }
    }
}
