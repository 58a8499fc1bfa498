import Dispatch
import HeadgateEngine

/// A weak reference to an actor.
@usableFromInline struct WeakActor<Target: Actor>: Sendable {
    @usableFromInline weak var actor: Target?

    @inlinable init(_ actor: Target) { self.actor = actor }

    /// Calls an actor-isolated closure from within a job of the actor.
    // A job retains its actor, so the actor exists.
    @inlinable func call<Value, Result>(
        _ body: @Sendable (isolated Target, Value) -> Result, _ value: Value
    ) -> Result {
        guard let actor else { fatalError("An actor was deallocated while its own job was running.") }
        let value = UncheckedSendable(value)
        return actor.assumeIsolated { UncheckedSendable(body($0, value.value)) }.value
    }
}

/// Runs jobs on an actor as long as it exists.
@usableFromInline final class ActorQueue<Target: Actor>: Scheduler, Sendable {
    @usableFromInline typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType

    @usableFromInline typealias SchedulerOptions = Never

    private let place: WeakActor<Target>

    private let deallocation = Guarded<(() -> Void)?>(nil)

    /// Where jobs run before and after the actor's turn, if a test sets it.
    private let executor = StreamTask.executor

    @usableFromInline init(_ place: WeakActor<Target>) { self.place = place }

    /// Sets the handler for a job that arrives after the actor has been deallocated.
    @usableFromInline func onDeallocation(_ handler: @escaping () -> Void) {
        deallocation.withLock { $0 = handler }
    }

    @usableFromInline var now: SchedulerTimeType { DispatchQueue.global().now }

    @usableFromInline var minimumTolerance: SchedulerTimeType.Stride { DispatchQueue.global().minimumTolerance }

    @usableFromInline func schedule(options: Never?, _ action: @escaping () -> Void) {
        let job = UncheckedSendable(action)
        // Detached, so that the sender's task-local values are not inherited.
        Task.detached(executorPreference: executor) {
            if let actor = self.place.actor {
                await actor.perform(job)
            } else {
                self.deallocation.withLock { $0 }?()
            }
        }
    }

    @usableFromInline func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        DispatchQueue.global().schedule(
            after: date, tolerance: tolerance, serially { self.schedule(options: nil, action) })
    }

    @usableFromInline func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        DispatchQueue.global().schedule(
            after: date, interval: interval, tolerance: tolerance, serially { self.schedule(options: nil, action) })
    }
}

extension Actor {
    fileprivate func perform(_ job: UncheckedSendable<() -> Void>) { job.value() }
}
