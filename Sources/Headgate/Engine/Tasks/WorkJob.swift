import Synchronization

/// Runs a job on a scheduler.
@usableFromInline package typealias ScheduleJob = (@escaping () -> Void) -> Void

/// Processes values of a `WorkConduit` on a scheduler, one after the other, while there are any.
///
/// After some values it puts itself on the scheduler again, so that other work has its turn.
@usableFromInline final class WorkJob<Input, Output, Failure: Error> {
    @usableFromInline let conduit: WorkConduit<Input, Output, Failure>

    @usableFromInline let schedule: ScheduleJob

    @usableFromInline let work: (Input) -> Output?

    // Confined to the caller that runs the job.
    @usableFromInline let slot = WorkSlot<Input, Output>()

    /// Whether the job is being put on the scheduler again by a caller that runs it.
    @usableFromInline let isRescheduling = Atomic(false)

    @inlinable init(
        _ conduit: WorkConduit<Input, Output, Failure>, _ schedule: @escaping ScheduleJob,
        _ work: @escaping (Input) -> Output?
    ) {
        self.conduit = conduit
        self.schedule = schedule
        self.work = work
    }

    @inlinable func start() { schedule { self.run() } }

    @inlinable func run() {
        // A scheduler that runs everything at once: the caller goes on, which takes no stack.
        if isRescheduling.exchange(false, ordering: .relaxed) { return }
        while processSome(), !reschedule() {}
    }

    /// Processes up to sixteen values.
    ///
    /// - Returns: Whether there may be more.
    @inlinable func processSome() -> Bool {
        var finding = WorkFinding.nothing
        for number in 1...16 {
            if finding == .nothing { finding = conduit.continueJob(slot) }
            if finding != .input { return false }
            slot.output = work(slot.takeInput())
            // None is taken before other work has its turn: another job may process it meanwhile.
            let isLast = number == 16
            finding = conduit.perform(conduit.settle(slot, isWorker: !isLast), isLast ? nil : slot)
        }
        return finding != .over
    }

    /// Puts the job on the scheduler again.
    ///
    /// - Returns: Whether it runs there. It has begun before this returned, and left the values to the caller, otherwise.
    @inlinable func reschedule() -> Bool {
        isRescheduling.store(true, ordering: .relaxed)
        start()
        return isRescheduling.exchange(false, ordering: .relaxed)
    }
}
