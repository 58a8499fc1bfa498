/// How the tasks of streams are started.
@usableFromInline package enum StreamTask {
    /// Where they run, if not on the default executor; tests step through them.
    @TaskLocal package static var executor: (any TaskExecutor)?

    /// Starts a task with the task-locals of the caller.
    @usableFromInline package static func start(
        _ operation: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        // A task with a preference, even for none, looks for it under a lock whenever it continues.
        guard let executor else { return Task(operation: operation) }
        return Task(executorPreference: executor, operation: operation)
    }

    /// Does work that has to be done even if the task is cancelled.
    @usableFromInline package static func shield(_ work: @escaping () async -> Void) async {
        // The caller waits meanwhile.
        let work = UncheckedSendable(work)
        await start { await work.value() }.value
    }
}

/// A value that is passed from one task to another, one at a time.
@usableFromInline package struct UncheckedSendable<Value>: @unchecked Sendable {
    // After passing it, the sender doesn't use it any more, or takes turns with the receiver.
    @usableFromInline package let value: Value

    @inlinable package init(_ value: Value) { self.value = value }
}
