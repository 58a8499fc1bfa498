import HeadgateEngine
import HeadgateThread
import Synchronization

/// Forwards everything in both directions, and keeps the account of one stream through a stage of a flow.
// A structure of what is downstream, not an object: in the middle of a run of steps, it is compiled into the conduit of
// the steps before it, and those after it are called without a closure.
@usableFromInline package struct StageConduit<Downstream: Subscriber>: Subscriber {
    @usableFromInline package typealias Input = Downstream.Input

    @usableFromInline package typealias Failure = Downstream.Failure

    @usableFromInline let run: StageRun

    @usableFromInline let downstream: Downstream

    @inlinable package init(_ stage: StageAccount, _ downstream: Downstream) {
        run = StageRun(stage, mayBeServedAtOnce: Downstream._needsNoSubscription)
        self.downstream = downstream
    }

    /// Attaches the conduit to the publisher upstream of the stage.
    @inlinable @inline(__always) package func attach(to upstream: some Publisher<Input, Failure>) {
        run.stage.noteSubscription()
        // Not a task-local value: the compiler does not see through the closure that one needs.
        let outer = headgate_subscribe_for(Unmanaged.passUnretained(run).toOpaque())
        QueueRegistry.bind(run.stage.queues) { upstream.receive(subscriber: self) }
        _ = headgate_subscribe_for(outer)
        withExtendedLifetime(run) {}
    }

    @inlinable package static var _needsNoSubscription: Bool { Downstream._needsNoSubscription }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(run) }

    @inlinable package func receive(subscription: any Subscription) {
        guard run.upstream.fill(with: subscription) else { return }
        run.begin()
        // Streams that begin because of what the subscriber does are not upstream of this stage.
        StageAccount.apart { downstream.receive(subscription: run) }
    }

    @inlinable @inline(__always) package func receive(_ input: Input) -> Subscribers.Demand {
        if run.mode.load(ordering: .relaxed) & ~StageRun.Mode.isSteady != 0 { return receiveSlowly(input) }
        let before = run.enter(at: headgate_ticks())
        let demand = downstream.receive(input)
        let end = headgate_ticks()
        run.busy.end(at: end)
        let mode = run.mode.load(ordering: .relaxed)
        if mode == 0 || mode == StageRun.Mode.isSteady && demand == .max(1) { return demand }
        run.leave(at: end, before, demand)
        return demand
    }

    /// Delivers a value in a stream that is served at once, has ended or is recorded, or whose time is a scheduler's.
    @inlinable @inline(never) func receiveSlowly(_ input: Input) -> Subscribers.Demand {
        if run.upstream.isClosed { return .none }
        run.beginIfServedAtOnce()
        // Before the delivery begins: what it takes to describe a value is not the subscriber's time.
        let text = run.stage.isRecording ? String(describing: input) : nil
        let before = run.enter(at: run.now)
        if let text { run.record(.value, text) }
        let demand = downstream.receive(input)
        let end = run.now
        run.busy.end(at: end)
        run.leave(at: end, before, demand)
        return demand
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        run.beginIfServedAtOnce()
        if !run.upstream.close() { return Undeliverable.note(completion) }
        switch completion {
        case .finished: run.end(.finished)
        case .failure(let failure): run.end(.failed, failure)
        }
        StageAccount.apart { downstream.receive(completion: completion) }
    }
}
