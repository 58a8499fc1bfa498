import HeadgateEngine

// The tasks that process values.
extension WorkConduit {
    /// Processes a value, and passes the result on unless the value is dropped.
    @usableFromInline package typealias Work = (Input, (Output) -> Void) async throws(Failure) -> Void

    /// Starts the first task, with the task-locals of the caller.
    ///
    /// - Returns: The task, which ends after all others.
    @inlinable @discardableResult package func start(_ work: @escaping Work) -> Task<Void, Never> {
        nonisolated(unsafe) let work = work
        if limit == 1 { workers = 1 }
        let task = StreamTask.start { [limit] in
            if limit == 1 {
                await self.workOn(work)
            } else {
                await self.startWorkers(work)
            }
        }
        let isOver = lock.withLock {
            if !takesNoMore { running.task = task }
            return takesNoMore
        }
        if isOver { task.cancel() }
        return task
    }

    /// Starts as many tasks as are needed.
    ///
    /// A group looks through its tasks when one of them ends, so a group that is full of them leaves the others to
    /// another one.
    ///
    /// - Parameter isNeeded: Whether the first is known to be needed.
    @inlinable func startWorkers(_ work: @escaping Work, isNeeded: Bool = false) async {
        // Before there is a group, which takes memory.
        if !isNeeded, !(await needsWorker()) { return }
        nonisolated(unsafe) let work = work
        await withDiscardingTaskGroup { group in
            for _ in 0..<256 {
                group.addTask { await self.workOn(work) }
                guard await needsWorker() else { return }
            }
            group.addTask { await self.startWorkers(work, isNeeded: true) }
        }
    }

    /// Processes one value after the other.
    @inlinable func workOn(_ work: @escaping Work) async {
        let slot = Slot()
        var finding = take(into: slot)
        while true {
            switch finding {
            case .input:
                let step: WorkStep
                do throws(Failure) {
                    try await work(slot.takeInput()) { slot.output = $0 }
                    step = settle(slot, isWorker: true)
                } catch {
                    step = settle(failure: error)
                }
                finding = perform(step, slot)
            case .over:
                return
            case .nothing:
                await waitForInput()
                finding = take(into: slot)
            }
        }
    }

    /// Gives a task the value that it processes next, after it has delivered what is owed.
    @inlinable package func take(into slot: Slot) -> WorkFinding {
        perform(lock.withLock { isOwed ? beginDelivering(slot) : .rest(takeInput(slot)) }, slot)
    }

    @inlinable nonisolated(nonsending) func waitForInput() async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            let waits = lock.withLock {
                if takesNoMore || !inputs.isEmpty { return false }
                running.idle.append(task)
                return true
            }
            if !waits { task.resume() }
        }
    }

    /// Waits until another task has to be started.
    @inlinable func needsWorker() async -> Bool {
        while true {
            let needs: Bool? = lock.withLock {
                if takesNoMore { return false }
                if missing == 0 { return nil }
                missing -= 1
                return true
            }
            if let needs { return needs }
            await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
                let waits = lock.withLock {
                    if takesNoMore || missing > 0 { return false }
                    running.starter = task
                    return true
                }
                if !waits { task.resume() }
            }
        }
    }
}
