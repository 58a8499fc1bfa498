import HeadgateCore

/// The task-local values that were bound where this was created, for work that a scheduler or another thread does later.
///
/// A task copies all values that are bound where it is created, and no other public interface does. So this creates one that
/// doesn't begin by itself, and has it run the work on the calling thread, inside the call.
@usableFromInline package final class TaskLocals: Sendable {
    /// Keeps a job instead of running it, and has what it does when it runs.
    private final class Keeper: TaskExecutor, @unchecked Sendable {
        let job = Guarded<UnownedJob?>(nil)

        // Used by one thread at a time: only who has taken the job gives it work, and runs it.
        @exclusivity(unchecked) var work: (() -> Void)?

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.job.withLock { $0 = job }
        }
    }

    private let keeper = Keeper()

    @usableFromInline package init() { prepare() }

    // A task has to run in order to be released.
    deinit { keeper.job.withLock { $0.take() }?.runSynchronously(on: keeper.asUnownedTaskExecutor()) }

    /// Creates the task; inside of it, the next one, with the same values.
    private func prepare() {
        Task(executorPreference: keeper) { [keeper] in keeper.work?() }
    }

    /// Does work with the values bound, before it returns.
    @usableFromInline package func perform(_ body: () -> Void) {
        guard let job = keeper.job.withLock({ $0.take() }) else {
            // The work of this object, which is being done by the caller, has called it again.
            return body()
        }
        withoutActuallyEscaping(body) { body in
            keeper.work = { [self] in
                keeper.work = nil
                prepare()
                body()
            }
            job.runSynchronously(on: keeper.asUnownedTaskExecutor())
        }
    }
}
