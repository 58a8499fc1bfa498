import HeadgateEngine
import Synchronization

/// Serves one subscriber from anything that sends to it, on any thread, and buffers values without demand as far as
/// there is room.
///
/// Which values are delivered, and in which order, is decided under a lock when they are sent, so that the sender knows
/// the outcome. They are delivered one at a time, in a drain.
// Threads share only what a lock guards.
@usableFromInline package final class EmitterConduit<Output, Failure: Error>: ServedSource, @unchecked Sendable {
    @usableFromInline package typealias Answer = Emitter<Output, Failure>.Answer

    @usableFromInline package typealias Overflow = Publishers.EmitterBuffering<Failure>.Overflow

    @usableFromInline package struct State {
        /// The demand beyond the values in `due`.
        @usableFromInline package var demand = Subscribers.Demand.none

        /// Values with demand, to be delivered.
        @usableFromInline package var due = Queue<Output>()

        /// Values without demand.
        @usableFromInline package var kept = Queue<Output>()

        /// The completion to deliver once all buffered values have been delivered.
        @usableFromInline package var completion: Subscribers.Completion<Failure>?

        @usableFromInline package var downstream: AnySubscriber<Output, Failure>?

        // The stream's handlers, called outside the lock.
        @usableFromInline package var onRequest: ((Subscribers.Demand) -> Void)?

        @usableFromInline package var onCancel: (() -> Void)?

        @usableFromInline package var onDrop: ((Output) -> Void)?

        /// Called when there is more room.
        @usableFromInline package var onRoom: (() -> Void)?

        /// The demand that has not been reported to the handler.
        @usableFromInline package var unreported = Subscribers.Demand.none

        /// Whether the handler of requests is running.
        @usableFromInline package var isReporting = false

        /// Whether the subscription has been released, so that no more than the outstanding demand can be delivered.
        @usableFromInline package var isAbandoned = false

        /// Whether the stream completes because there was no room.
        @usableFromInline package var hasOverflowed = false

        @inlinable package init() {}

        @inlinable package var isOver: Bool { downstream == nil }

        /// Takes the demand for a value that is delivered at once, if nothing is to be delivered before it.
        @inlinable mutating func takeDemand() -> Receiver<Output>? {
            guard demand > .none, due.isEmpty, completion == nil, !isAbandoned, let downstream else { return nil }
            demand -= 1
            return Receiver(downstream)
        }

        /// Takes the next value that is due.
        ///
        /// It is the last one if there is nothing to do after it but what others will do, who have come meanwhile.
        ///
        /// - Parameter receiver: Becomes what the value is delivered to, if it is `nil`.
        /// - Returns: The value, and how many are due after it.
        @inlinable mutating func next(
            for receiver: inout Receiver<Output>?
        ) -> (value: Output, rest: Int, isLast: Bool)? {
            guard let value = due.popFirst() else { return nil }
            if receiver == nil { receiver = downstream.map { Receiver($0) } }
            return (value, due.count, due.isEmpty && completion == nil && !isAbandoned)
        }

        /// Makes the values due for which there is demand now.
        ///
        /// - Returns: How many these are.
        @inlinable mutating func makeDue() -> Int {
            let count = due.count
            while demand > .none, let value = kept.popFirst() {
                demand -= 1
                due.append(value)
            }
            return due.count - count
        }
    }

    @usableFromInline package let state = Guarded(State())

    @usableFromInline package let drain = Drain()

    /// How many values have been dropped because there was no room.
    @usableFromInline package let dropped = Atomic(0)

    /// What waits and is dropped here, for the stage of a flow downstream, if there is one.
    // Written before anything is sent.
    @exclusivity(unchecked) @usableFromInline var counts: QueueCounts?

    /// Whether there has been a handler of requests.
    @usableFromInline let reportsDemand = Atomic(false)

    @usableFromInline package let capacity: Int

    @usableFromInline package let whenFull: Overflow

    @inlinable package init(
        capacity: Int, whenFull: Overflow, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.capacity = capacity
        self.whenFull = whenFull
        state.withLock { $0.downstream = downstream }
        if QueueRegistry.isBound { counts = makeCounts() }
    }

    @inlinable @inline(never) func makeCounts() -> QueueCounts? {
        QueueCounts.register { [weak self] in self?.state.withLock { $0.kept.count + $0.due.count } ?? 0 }
    }

    /// The demand for which no value has been sent.
    @inlinable package var demand: Subscribers.Demand { state.withLock { $0.demand } }

    @inlinable package var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether a value would be delivered or buffered; `nil` if the subscriber has gone.
    @inlinable package var room: Bool? {
        state.withLock { $0.isOver ? nil : $0.demand > .none || $0.kept.count < capacity }
    }

    /// Delivers a value, or buffers it, or drops one.
    @inlinable package func send(_ value: Output) -> Answer {
        if deliverAtOnce(value) { return .sent }
        let answer = accept(value)
        // Not by `==`, which needs the types of this conduit at run time.
        let isSent = if case .sent = answer { true } else { false }
        if isSent || isEnding { serve() }
        return answer
    }

    /// Delivers a value without storing it, if there is demand and nothing else to deliver.
    @inlinable func deliverAtOnce(_ value: Output) -> Bool {
        guard drain.enter() else { return false }
        let receiver = state.withLock { $0.takeDemand() }
        if let receiver {
            let more = receiver.receive(value)
            if more > .none {
                add(more)
                deliver()
            }
        }
        drain.leave()
        // Also what was requested by work that others have enqueued.
        reportDemand()
        return receiver != nil
    }

    /// Accepts a value; `serve()` delivers what is due after that.
    @inlinable package func accept(_ value: Output) -> Answer {
        // What is dropped is passed out of the lock.
        let (answer, dropped, drop): (Answer, Output?, ((Output) -> Void)?) = state.withLock { state in
            if state.isOver || state.completion != nil { return (.finished, nil, nil) }
            if state.demand > .none {
                state.demand -= 1
                state.due.append(value)
                return (.sent, nil, nil)
            }
            if state.kept.count < capacity {
                state.kept.append(value)
                return (.buffered, nil, nil)
            }
            switch whenFull {
            case .dropOldest where capacity > 0:
                let oldest = state.kept.popFirst()
                state.kept.append(value)
                return (.buffered, oldest, state.onDrop)
            case .dropOldest, .dropNewest:
                return (.dropped, value, state.onDrop)
            case .fail(let failure):
                state.completion = .failure(failure)
                state.hasOverflowed = true
                return (.dropped, value, state.onDrop)
            }
        }
        if let dropped {
            self.dropped.wrappingAdd(1, ordering: .relaxed)
            counts?.drop()
            drop?(dropped)
        }
        return answer
    }

    @inlinable package var isEnding: Bool { state.withLock { $0.completion != nil } }

    /// Completes the stream once all buffered values have been delivered.
    @inlinable package func finish(_ completion: Subscribers.Completion<Failure>) {
        let isFirst = state.withLock { state in
            if state.isOver || state.completion != nil { return false }
            state.completion = completion
            return true
        }
        if isFirst { serve() }
    }

    /// Delivers what is due, in the caller's turn.
    @inlinable package func serve() {
        drain.run { self.deliver() }
        reportDemand()
    }

    /// Delivers what is due, or leaves that to the thread that is delivering, for which it never waits.
    @inlinable package func serveOrLeave() {
        drain.postpone { self.deliver() }
        reportDemand()
    }

    /// Reports the demand to the handler: while this thread makes no delivery, and one call at a time.
    @inlinable func reportDemand() {
        // Relaxed: who has set the handler reports what there is, and what is requested later is added under the lock.
        guard reportsDemand.load(ordering: .relaxed) else { return }
        while !drain.isOwnedByCaller {
            let (handler, demand): (((Subscribers.Demand) -> Void)?, Subscribers.Demand) = state.withLock { state in
                guard !state.isReporting, state.unreported > .none, let handler = state.onRequest else {
                    return (nil, .none)
                }
                state.isReporting = true
                let demand = state.unreported
                state.unreported = .none
                return (handler, demand)
            }
            guard let handler else { return }
            handler(demand)
            state.withLock { $0.isReporting = false }
        }
    }

    /// Delivers what is due now, and what becomes so by demand that it brings.
    ///
    /// What others send meanwhile has a delivery of its own, so that they don't keep the caller.
    @inlinable func deliver() {
        // Retained once for all values.
        var receiver: Receiver<Output>?
        var left = Int.max
        while left > 0, let next = state.withLock({ $0.next(for: &receiver) }), let receiver {
            left = min(left - 1, next.rest)
            let more = receiver.receive(next.value)
            if more > .none { left += add(more) } else if next.isLast { return }
        }
        endIfDone()
    }

    /// Completes the stream, or cancels it, if there is nothing left to deliver before that.
    @inlinable func endIfDone() {
        let (old, isAbandoned): (State?, Bool) = state.withLock { state in
            if state.isOver || !state.due.isEmpty { return (nil, false) }
            if state.completion == nil || !state.kept.isEmpty {
                return (nil, state.isAbandoned && state.demand == .none)
            }
            return (exchange(&state, with: State()), false)
        }
        if isAbandoned { return cancel() }
        guard let old, let completion = old.completion else { return }
        // The overflow has completed the stream, so its sender has to learn of it.
        if old.hasOverflowed { old.onCancel?() }
        old.downstream?.receive(completion: completion)
    }

    @inlinable package func request(_ demand: Subscribers.Demand) {
        add(demand)
        serveOrLeave()
    }

    /// Adds to the demand.
    ///
    /// - Returns: How many values are due for it.
    @inlinable @discardableResult func add(_ demand: Subscribers.Demand) -> Int {
        let (count, room): (Int, (() -> Void)?) = state.withLock { state in
            if state.isOver { return (0, nil) }
            state.demand += demand
            if state.onRequest != nil { state.unreported += demand }
            return (state.makeDue(), state.onRoom)
        }
        room?()
        return count
    }

    /// Sets the handler of demand: outstanding demand, and what is requested from now on.
    @inlinable package func onRequest(_ handler: @escaping (Subscribers.Demand) -> Void) {
        reportsDemand.store(true, ordering: .relaxed)
        // The previous handler is released outside the lock.
        _ = state.withLock { state -> ((Subscribers.Demand) -> Void)? in
            if state.isOver { return nil }
            state.unreported = state.demand
            return exchange(&state.onRequest, with: handler)
        }
        reportDemand()
    }

    /// Sets the handler of cancellation, called once; at once if the subscriber has gone already.
    @inlinable package func onCancel(_ handler: @escaping () -> Void) {
        let (isOver, _): (Bool, (() -> Void)?) = state.withLock { state in
            state.isOver ? (true, nil) : (false, exchange(&state.onCancel, with: handler))
        }
        if isOver { handler() }
    }

    /// Sets the handler of dropped values.
    @inlinable package func onDrop(_ handler: @escaping (Output) -> Void) {
        _ = state.withLock { $0.isOver ? nil : exchange(&$0.onDrop, with: handler) }
    }

    /// Sets the handler, called on any thread, for when values have been requested or the subscriber has gone.
    @inlinable package func onRoom(_ handler: @escaping () -> Void) {
        state.withLock { if !$0.isOver { $0.onRoom = handler } }
    }

    /// Delivers what has been requested, and then cancels.
    @inlinable package func abandon() {
        state.withLock { $0.isAbandoned = true }
        // Not while a delivery is in progress, which may return more demand.
        serveOrLeave()
    }

    @inlinable package func cancel() {
        let old = state.withLock { exchange(&$0, with: State()) }
        if old.isOver { return }
        old.onCancel?()
        old.onRoom?()
    }
}
