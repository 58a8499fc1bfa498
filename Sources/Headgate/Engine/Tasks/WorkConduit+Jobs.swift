// Processing values in jobs of a scheduler, and not in tasks.
extension WorkConduit {
    /// Has values processed in jobs.
    ///
    /// - Parameters:
    ///   - schedule: Runs a job.
    ///   - work: Processes a value; returns `nil` if the value is dropped.
    @inlinable package func process(
        in schedule: @escaping ScheduleJob, _ work: @escaping (Input) -> Output?
    ) {
        startJob = { WorkJob($0, schedule, work).start() }
    }

    /// Gives a job the value that it processes next, after it has delivered what is owed, or counts the job as ended.
    @inlinable func continueJob(_ slot: Slot) -> WorkFinding {
        while true {
            let step: WorkStep = lock.withLock {
                if isOwed { return beginDelivering(slot) }
                let finding = takeInput(slot)
                if finding != .input { workers -= 1 }
                return .rest(finding)
            }
            if case .rest(let finding) = step { return finding }
            let finding = perform(step, slot)
            if finding != .nothing { return finding }
        }
    }
}
