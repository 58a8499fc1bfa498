import HeadgateCore

/// The task-local values that were bound where this was created, for work that a scheduler or another thread does later.
///
/// A task copies all values that are bound where it is created, and no other public interface does. So this creates one that
/// doesn't begin by itself, and has it run the work on the calling thread, inside the call.
@usableFromInline package final class TaskLocals: Sendable {
    /// What the task does when it runs.
    // Used by one thread at a time: only who has taken the job gives it work, and runs it.
    private final class Work: @unchecked Sendable {
        @exclusivity(unchecked) var perform: (() -> Void)?
    }

    /// Keeps a job instead of running it.
    private final class Keeper: TaskExecutor {
        let job = Guarded<UnownedJob?>(nil)

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.job.withLock { $0 = job }
        }
    }

    private let keeper = Keeper()

    private let work = Work()

    @usableFromInline package init() { prepare() }

    // A task has to run in order to be released.
    deinit { keeper.job.withLock { $0.take() }?.runSynchronously(on: keeper.asUnownedTaskExecutor()) }

    /// Creates the task; inside of it, the next one, with the same values.
    private func prepare() {
        let work = work
        Task(executorPreference: keeper) { work.perform?() }
    }

    /// Does work with the values bound, before it returns.
    @usableFromInline package func perform(_ body: () -> Void) {
        guard let job = keeper.job.withLock({ $0.take() }) else {
            // The work of this object, which is being done by the caller, has called it again.
            return body()
        }
        withoutActuallyEscaping(body) { body in
            work.perform = { [self] in
                work.perform = nil
                prepare()
                body()
            }
            job.runSynchronously(on: keeper.asUnownedTaskExecutor())
        }
    }
}
