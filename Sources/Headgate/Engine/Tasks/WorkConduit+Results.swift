import HeadgateEngine
import Synchronization

// What becomes of results.
extension WorkConduit {
    /// Receives the result of a task.
    ///
    /// - Parameter isWorker: Whether the caller is a task, which then processes another value.
    /// - Returns: What the caller does next, which it has to perform.
    @inlinable package func settle(_ slot: Slot, isWorker: Bool) -> WorkStep {
        lock.withLock {
            if takesNoMore { return .rest(.over) }
            settle(slot)
            return beginDelivering(isWorker ? slot : nil)
        }
    }

    /// Receives a failure of the work, which ends the stream, whatever is under way: nothing that arrives after it is
    /// delivered.
    @inlinable package func settle(failure: Failure) -> WorkStep {
        lock.withLock {
            if takesNoMore { return .rest(.over) }
            completion = .failure(failure)
            isCompleting = true
            hasFailed = true
            return beginDelivering(nil)
        }
    }

    /// Counts a result, or keeps it until it is its turn.
    @inlinable func settle(_ slot: Slot) {
        // One task at a time needs no order.
        let isInOrder = isOrdered && limit > 1
        if isInOrder, !results.skipFirst(slot.number) { return results.put(slot.output.take(), at: slot.number) }
        if slot.output == nil {
            finishOne()
        } else {
            due.append(slot.output.unsafelyUnwrapped)
            slot.output = nil
        }
        if isInOrder { settleFollowing() }
    }

    /// Counts the results whose turn it is by now.
    @inlinable @inline(never) func settleFollowing() {
        // Before the loop, which begins by making the results its own.
        if !results.isFirstReady { return }
        while let result = results.popFirst() {
            if let value = result { due.append(value) } else { finishOne() }
        }
    }

    /// Counts a value as delivered or dropped.
    @inlinable func finishOne() {
        underWay -= 1
        unfinished -= 1
    }

    /// Whether results are due and requested that nobody delivers.
    @inlinable var isOwed: Bool { demand > .none && !due.isEmpty && !isDelivering }

    /// Becomes the caller that delivers, unless there is one.
    @inlinable func beginDelivering(_ slot: Slot?) -> WorkStep {
        if isDelivering { return .rest(takeInput(slot)) }
        isDelivering = true
        return nextStep(slot)
    }

    /// Delivers what is due, requests what can be processed, and completes the stream when nothing remains.
    ///
    /// - Parameters:
    ///   - slot: That of the calling task, which then processes a value.
    ///   - limit: After how many results the rest is left to a task or job that has nothing else to do, if there is one.
    @inlinable @discardableResult package func perform(
        _ first: WorkStep, _ slot: Slot?, atMost limit: Int = .max
    ) -> WorkFinding {
        var step = first
        var left = limit
        while true {
            switch step {
            case .value:
                let more = deliver()
                left -= 1
                step = lock.withLock {
                    demand += more
                    demand -= 1
                    finishOne()
                    if left <= 0, let worker = leaveOwed() { return .leave(worker) }
                    return nextStep(slot)
                }
            case .request(let demand, let upstream):
                upstream.request(demand)
                step = lock.withLock { nextStep(slot) }
            case .pull(let upstream):
                guard let slot else { return .nothing }
                step = pull(from: upstream, into: slot)
            case .stop(let running):
                running.cancel()
                step = lock.withLock { nextStep(slot) }
            case .leave(let worker):
                wake(worker)
                return .nothing
            case .end:
                end()
                return .over
            case .rest(let finding):
                return finding
            }
        }
    }

    @inlinable func nextStep(_ slot: Slot?) -> WorkStep {
        guard let downstream else { return .rest(.over) }
        if demand > .none, !due.isEmpty {
            outgoing = due.removeFirst()
            receiver = Receiver(downstream)
            return .value
        }
        if isComplete { return .end }
        if hasFailed, let running = takeRunning() { return .stop(running) }
        if let (demand, upstream) = takeRoom() {
            let pulls = slot != nil && isDirect && requests == 0 && demand == .max(1)
            return pulls ? .pull(upstream) : .request(demand, upstream)
        }
        isDelivering = false
        return .rest(takeInput(slot))
    }

    /// Leaves what is owed to a task or job that has nothing else to do.
    ///
    /// - Returns: Who is to be woken; `nil` if all are at work, or are not started any more.
    @inlinable func leaveOwed() -> WaitingWorker? {
        if due.isEmpty || demand == .none || hasFailed || running.idle.isEmpty && workers == limit { return nil }
        isDelivering = false
        return takeWaiting()
    }

    @inlinable func deliver() -> Subscribers.Demand {
        let receiver = receiver.unsafelyUnwrapped
        let value = outgoing.unsafelyUnwrapped
        self.receiver = nil
        outgoing = nil
        return receiver.receive(value)
    }

    /// Requests a value from a source that delivers immediately, and takes it directly: it is queued only if the caller
    /// has something else to do.
    @inlinable func pull(from upstream: ConduitSubscription, into slot: Slot) -> WorkStep {
        pulling = slot
        isPulling.store(true, ordering: .relaxed)
        upstream.request(.max(1))
        isPulling.store(false, ordering: .relaxed)
        pulling = nil
        var worker = WaitingWorker.nobody
        let step: WorkStep = lock.withLock {
            if slot.input == nil || isOver { return nextStep(slot) }
            if inputs.isEmpty, due.isEmpty, !hasFailed, room <= 0 {
                isDelivering = false
                unfinished += 1
                slot.number = takeNumber()
                return .rest(.input)
            }
            worker = keep(slot.takeInput())
            return nextStep(slot)
        }
        wake(worker)
        return step
    }

    /// Completes the stream.
    @inlinable func end() {
        let remains = dismantle()
        // The running work is cancelled, and so is upstream, before the completion is delivered.
        remains.running?.cancel()
        // It may have been cancelled meanwhile.
        if let completion = remains.completion, !remains.owesResults {
            remains.downstream?.receive(completion: completion)
        }
    }

    /// Removes everything at the end; what is not delivered is released by the caller, outside the lock.
    @inlinable func dismantle() -> (
        downstream: AnySubscriber<Output, Failure>?, completion: Subscribers.Completion<Failure>?, owesResults: Bool,
        running: RunningWork?, rest: (Queue<Input>, OrderedWindow<Output?>, Queue<Output>)
    ) {
        lock.withLock {
            defer {
                (downstream, completion, inputs, results, due) = (nil, nil, Queue(), OrderedWindow(), Queue())
                isCompleting = false
            }
            return (downstream, completion, owesResults, takeRunning(), (inputs, results, due))
        }
    }
}
