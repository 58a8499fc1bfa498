import HeadgateCore
import HeadgateEngine

/// What is done with one value of a `ParallelStream` on schedulers, after it has been requested.
///
/// A job and a conduit per value, where `receive(on:)` would take a publisher, a queue and their subscriptions.
@usableFromInline struct RailJob<Output> {
    /// Begins the work; the result goes to the closure, unless there is none.
    @usableFromInline let start: (RailRun, @escaping (Output?) -> Void) -> Void

    @inlinable init(start: @escaping (RailRun, @escaping (Output?) -> Void) -> Void) { self.start = start }

    /// Continues with a value on a scheduler.
    @inlinable init<Context: Scheduler>(_ value: Output, on scheduler: Context, options: Context.SchedulerOptions?) {
        start = { run, finish in
            scheduler.schedule(options: options, serially { if !run.isCancelled { finish(value) } })
        }
    }

    /// Transforms the result where it arises.
    @inlinable func compactMap<T>(_ transform: @escaping (Output) -> T?) -> RailJob<T> {
        RailJob<T> { [start] run, finish in
            start(run) { result in
                if let result { finish(transform(result)) } else { finish(nil) }
            }
        }
    }

    /// Continues with the result on another scheduler.
    @inlinable func continued<Context: Scheduler>(
        on scheduler: Context, options: Context.SchedulerOptions?
    ) -> RailJob {
        RailJob { [start] run, finish in
            start(run) { result in
                guard let result else { return finish(nil) }
                scheduler.schedule(options: options, serially { if !run.isCancelled { finish(result) } })
            }
        }
    }
}

/// The subscription to a job, as far as its types don't matter.
@usableFromInline class RailRun: ConduitSubscription {
    @usableFromInline final let gate = LastValueGate(isReady: true)

    /// Whether nobody waits for the result any more.
    @inlinable final var isCancelled: Bool { gate.isClosed }

    @inlinable override init(handle: @escaping (ConduitSubscription, Signal) -> Void) { super.init(handle: handle) }

    @usableFromInline override var description: String { "ReceiveOn" }

    @usableFromInline override var traits: SubscriptionTraits { .waitsForDemand }
}

/// Does a job when its result has been requested, and delivers that.
@usableFromInline final class RailConduit<Output, Failure: Error>: RailRun, SignalHandling {
    // Confined to the caller that begins the job, and then to the one that has its result.
    @exclusivity(unchecked) @usableFromInline var job: RailJob<Output>?

    @usableFromInline let downstream: AnySubscriber<Output, Failure>

    @inlinable init(_ job: RailJob<Output>, _ downstream: some Subscriber<Output, Failure>) {
        self.job = job
        self.downstream = AnySubscriber(downstream)
        super.init(handle: RailConduit.handling)
    }

    @inlinable func handleRequest(_ demand: Subscribers.Demand) {
        if demand > .none, gate.request() { job.take()?.start(self) { self.finish($0) } }
    }

    @inlinable func handleCancel() { if gate.close().hasValue { job = nil } }

    @inlinable func finish(_ result: Output?) {
        if isCancelled { return }
        if let result { _ = downstream.receive(result) }
        if gate.finish() { downstream.receive(completion: .finished) }
    }
}
