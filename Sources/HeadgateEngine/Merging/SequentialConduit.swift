import HeadgateCore
import Synchronization

/// Serves one subscriber from several inner publishers that are active at the same time, in the order in which the
/// outer publisher has published them.
///
/// Values of the oldest publisher go straight through. From each of the others, a number of values is requested ahead,
/// which wait until it is the oldest. Completions wait in the same way, so the values are delivered as if the
/// publishers were concatenated.
@usableFromInline
package final class SequentialConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Gathering, Flattening {
    @usableFromInline package typealias Input = Output

    /// The maximum number of inner publishers that are active at a time.
    @usableFromInline let limit: Int

    /// How many values are requested ahead from each of them.
    @usableFromInline let prefetch: Int

    @usableFromInline package let outer = Upstream()

    /// The publishers that have not been delivered to their end, the oldest first.
    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var lines = Queue<SequentialLine<Output>>()

    /// The oldest of them.
    @exclusivity(unchecked) @usableFromInline var head: SequentialLine<Output>?

    /// The demand for more publishers, made while there is demand for values and nothing else is due: one may use it up.
    @exclusivity(unchecked) @usableFromInline var dueFromOuter = Subscribers.Demand.none

    /// How the outer publisher has completed.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable init(limit: Int, prefetch: Int, _ downstream: AnySubscriber<Output, Failure>) {
        self.limit = limit
        self.prefetch = prefetch
        super.init(name: "FlatMapSequential", downstream, handle: SequentialConduit.serving)
    }

    /// Attaches a subscriber to the values of the publishers that another one's values are transformed into.
    ///
    /// - Parameter transform: Creates a publisher from a value. Called outside the drain.
    @inlinable package static func connect<Outer: Publisher>(
        _ outer: Outer, limit: Int, prefetch: Int, to subscriber: some Subscriber<Output, Failure>,
        transform: @escaping (Outer.Output) -> some Publisher<Output, Failure>
    ) where Outer.Failure == Failure {
        let conduit = SequentialConduit(limit: limit, prefetch: prefetch, AnySubscriber(subscriber))
        conduit.connect(outer, as: conduit.outer, to: subscriber) { input, conduit, _ in
            conduit.attach(transform(input))
        }
    }

    /// Attaches a publisher, or receives its only value if it needs no subscription.
    ///
    /// - Returns: The demand to return to the outer publisher.
    @inlinable func attach(_ publisher: some Publisher<Output, Failure>) -> Subscribers.Demand {
        if let value = publisher._soleValue { return receive(only: value) }
        let line = SequentialLine<Output>()
        if takeTurn() {
            add(line)
            leave()
        } else {
            postpone { self.add(line) }
        }
        QueueRegistry.bind(counts?.registry) { publisher.receive(subscriber: SideInlet(self, line)) }
        return .none
    }

    @inlinable func add(_ line: SequentialLine<Output>) {
        if isOver { return cancel(line) }
        if head == nil { head = line } else { lines.append(line) }
    }

    @inlinable func receive(only value: Output) -> Subscribers.Demand {
        if takeTurn() {
            let more = take(only: value)
            leave()
            return more
        }
        postpone { self.requestFromOuter(self.take(only: value)) }
        return .none
    }

    /// Delivers the value of a publisher that publishes nothing else, or keeps it until its turn.
    ///
    /// - Returns: The demand to return to the outer publisher.
    @inlinable @inline(__always) func take(only value: Output) -> Subscribers.Demand {
        // If the stream is over, there is no demand.
        if head == nil, outstanding.takeOne() {
            _ = deliver(value)
            if outstanding.isPending, due.isEmpty { return .max(1) }
            requestFromOuter(.max(1))
            return .none
        }
        if isOver { return .none }
        let line = SequentialLine<Output>()
        keep(value, in: line)
        line.hasEnded = true
        add(line)
        return .none
    }

    @inlinable package func connect(
        _ line: SequentialLine<Output>, to subscription: ConduitSubscription
    ) -> Subscribers.Demand {
        accept(subscription, of: line, if: !isOver) ? .max(prefetch) : .none
    }

    /// Delivers a value, or keeps it until there is demand.
    ///
    /// - Returns: The demand to return to its publisher.
    @inlinable @inline(__always) package func take(
        _ value: Output, from line: SequentialLine<Output>
    ) -> Subscribers.Demand {
        if isOver || line.hasEnded { return .none }
        if line === head, line.queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            requestFromOuter(.none)
            return outstanding.isClosed ? .none : .max(1)
        }
        keep(value, in: line)
        return .none
    }

    /// Keeps a value until its turn.
    @inlinable func keep(_ value: Output, in line: SequentialLine<Output>) {
        line.queue.append(value)
        counts?.change(waiting: 1)
    }

    /// Delivers the values whose turn it is, as far as there is demand.
    @inlinable package func serve() {
        if isOver { return }
        requestFromOuter(demandForOuter())
        while let line = head {
            var room = 0
            while !line.queue.isEmpty, outstanding.takeOne(), let value = line.queue.popFirst() {
                room += 1
                counts?.change(waiting: -1)
                _ = deliver(value)
            }
            if isOver { return }
            guard line.queue.isEmpty, line.hasEnded else {
                requestFromOuter(.none)
                return request(.max(room), from: line)
            }
            if let failure = line.failure { return finish(.failure(failure as! Failure)) }
            head = lines.popFirst()
            requestFromOuter(.max(1))
        }
        if let ending { finish(ending) }
    }

    @inlinable func requestFromOuter(_ demand: Subscribers.Demand) {
        dueFromOuter += demand
        if dueFromOuter > .none, outstanding.isPending { leavesSlowly.store(true, ordering: .relaxed) }
    }

    @usableFromInline package override func requestLast() {
        if outstanding.isPending { request(exchange(&dueFromOuter, with: .none), from: outer) }
    }

    @inlinable package func demandForOuter() -> Subscribers.Demand {
        demandOnce(.max(limit), of: outer)
    }

    @inlinable package func end(
        _ line: SequentialLine<Output>, _ completion: Subscribers.Completion<Failure>
    ) {
        if isOver || !end(line) { return }
        if case .failure(let failure) = completion { line.failure = failure }
        if line === head { serve() }
    }

    @inlinable package func endOuter(_ completion: Subscribers.Completion<Failure>) {
        ending = completion
        if head == nil { finish(completion) }
    }

    @usableFromInline package var traitsByUpstreams: SubscriptionTraits {
        outer.traits.intersection(.sendsByItself)
    }

    @usableFromInline package override func releaseValues() {
        head.take()?.queue = Queue()
        while let line = lines.popFirst() { line.queue = Queue() }
    }
}

/// One of the publishers that a `SequentialConduit` serves from.
// Confined to the owner of the conduit's drain.
@usableFromInline package final class SequentialLine<Output>: Upstream {
    /// The values that wait for their turn, or for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    /// How it has failed.
    // Of a type that isn't generic, because `deinit` would look up the metadata of one that is.
    @exclusivity(unchecked) @usableFromInline var failure: (any Error)?
}
