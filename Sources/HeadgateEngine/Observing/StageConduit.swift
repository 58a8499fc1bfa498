import HeadgateCore
import HeadgateThread
import Synchronization

/// Forwards everything in both directions, and keeps the account of one stream through a stage of a flow.
@usableFromInline package final class StageConduit<Input, Failure: Error>: Subscriber {
    @usableFromInline let run: StageRun

    @usableFromInline let downstream: AnySubscriber<Input, Failure>

    // Called in place, so a delivery retains nothing.
    @usableFromInline let closures: Downstream<Input, Failure>.Closures

    @inlinable package init(_ stage: StageAccount, _ downstream: some Subscriber<Input, Failure>) {
        run = StageRun(stage)
        let erased = AnySubscriber(downstream)
        self.downstream = erased
        closures = Downstream<Input, Failure>.Closures(erased)
    }

    @inlinable package func receive(subscription: any Subscription) {
        guard run.upstream.fill(with: subscription) else { return }
        run.begin()
        // Streams that begin because of what the subscriber does are not upstream of this stage.
        StageAccount.apart { downstream.receive(subscription: run) }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        var before = 0
        let begin = headgate_ticks()
        let modeBefore = run.mode.load(ordering: .relaxed)
        if modeBefore != 0 {
            if modeBefore != StageRun.Mode.isLimited { return receiveSlowly(input) }
            before = run.enterLimited(at: begin)
        }
        run.enter(at: begin)
        let demand = closures.receiveValue(input)
        let moment = headgate_ticks()
        run.busy.end(at: moment)
        let mode = run.mode.load(ordering: .relaxed)
        if mode == StageRun.Mode.isLimited, demand == .max(1), before > 0 {
            // The demand is what it was: one less and one more.
            if before == 1 { run.answered.begin(at: moment) }
        } else if mode != 0 {
            run.leave(at: moment, before, demand)
        }
        return demand
    }

    /// Delivers a value in a stream that has ended, that is recorded, or whose time is a scheduler's.
    @usableFromInline @inline(never) func receiveSlowly(_ input: Input) -> Subscribers.Demand {
        if run.upstream.isClosed { return .none }
        // Before the delivery begins: what it takes to describe a value is not the subscriber's time.
        let text = run.stage.isRecording ? String(describing: input) : nil
        let begin = run.now
        let before = run.enterLimited(at: begin)
        run.enter(at: begin)
        if let text { run.record(.value, text) }
        let demand = closures.receiveValue(input)
        let end = run.now
        run.busy.end(at: end)
        run.leave(at: end, before, demand)
        return demand
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        let queued = run.upstream.queued
        if !run.upstream.close() { return Undeliverable.note(completion) }
        switch completion {
        case .finished: run.end(.finished, queued)
        case .failure(let failure): run.end(.failed, queued, failure)
        }
        StageAccount.apart { downstream.receive(completion: completion) }
    }
}
