import HeadgateCore
import HeadgateEngine

/// Runs the tasks of streams step by step, on the thread of the test.
///
/// A step is the work of a task between two suspension points. So a test can cancel, request or send at every one of
/// these points, and no other thread takes part.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
/// let executor = TestExecutor()
/// let subscriber = TestSubscriber<Int, Never>(.first(1))
/// executor.adopt {
///     [1, 2, 3].publisher.asyncMap { $0 * 10 }.subscribe(subscriber)
/// }
/// executor.run()
/// print(subscriber.values)
/// // [10]
/// ```
///
/// Work that a closure awaits on an actor, or in a task that it starts itself, runs elsewhere.
public final class TestExecutor: TaskExecutor, Sendable {
    private struct State {
        var jobs = Queue<UnownedJob>()
        var isRunning = false
    }

    private let state = Guarded(State())

    private let runsAtOnce: Bool

    /// Creates an executor.
    ///
    /// - Parameter runsAtOnce: Whether a step runs as soon as its task can resume, on the thread that resumes it, or
    ///   after the step that is running. If not, steps run when the test says so.
    public init(runsAtOnce: Bool = false) { self.runsAtOnce = runsAtOnce }

    /// Runs a closure; the tasks of the streams that are subscribed to in it will run on this executor.
    public func adopt<Result>(_ body: () throws -> Result) rethrows -> Result {
        try StreamTask.$executor.withValue(self, operation: body)
    }

    /// Enqueues a step of a task.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let runs = state.withLock { state in
            state.jobs.append(job)
            return runsAtOnce && !exchange(&state.isRunning, with: true)
        }
        if !runs { return }
        // The last task may release the last reference to this executor.
        let me = Unmanaged.passRetained(self)
        while let job = nextJob() { perform(job) }
        me.release()
    }

    private func nextJob() -> UnownedJob? {
        state.withLock { state in
            let job = state.jobs.popFirst()
            if job == nil { state.isRunning = false }
            return job
        }
    }

    private func perform(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

    /// The number of tasks that can resume now.
    public var count: Int { state.withLock { $0.jobs.count } }

    /// Runs the oldest step.
    ///
    /// - Returns: Whether there was one.
    @discardableResult public func step() -> Bool {
        guard let job = state.withLock({ $0.jobs.popFirst() }) else { return false }
        perform(job)
        return true
    }

    /// Runs steps until no task can resume.
    ///
    /// - Returns: The number of steps.
    @discardableResult public func run() -> Int {
        var count = 0
        while step() { count += 1 }
        return count
    }
}

extension Publisher {
    /// The same stream, whose tasks run on an executor of the test.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    /// import HeadgateVerification
    ///
    /// verify(operator: { $0.asyncMap { $0 * 10 }.tasks(on: TestExecutor(runsAtOnce: true)) }, .endsWithUpstream)
    ///     .excusing(.requestsOnlyForDemand, because: "it starts work before the result is requested")
    ///     .check { XCTFail($0, file: $1, line: $2) }
    /// ```
    ///
    /// - **Demand** and **Completion**: forwarded unchanged.
    /// - **Threads**: the tasks of upstream run on the executor, that is, on the thread that steps through them;
    ///   everything else is forwarded on the thread on which it arrives.
    /// - **Complexity**: nothing per value.
    public func tasks(on executor: TestExecutor) -> Publishers.TasksOn<Self> {
        Publishers.TasksOn(upstream: self, executor: executor)
    }
}

extension Publishers {
    /// A publisher whose tasks run on an executor of the test.
    public struct TasksOn<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream

        let executor: TestExecutor

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            executor.adopt { upstream.receive(subscriber: subscriber) }
        }
    }
}

extension Publishers.TasksOn: Sendable where Upstream: Sendable {}
