import Dispatch
import Headgate
import Synchronization

extension Workload {
    /// Threads that meet in a subject, and tasks that read a publisher.
    static var crossing: [Workload] {
        [
            Workload(
                name: "subject-2-threads", element: "send", reach: 400, isThreaded: true,
                run: { count in
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.sink(receiveValue: Opaque.add)
                    DispatchQueue.concurrentPerform(iterations: 2) { _ in
                        for value in 0..<count / 2 { subject.send(value) }
                    }
                    sink.cancel()
                },
                baseline: { count in
                    let callbacks = Mutex(Callbacks())
                    _ = callbacks.withLock { $0.add(Opaque.add) }
                    DispatchQueue.concurrentPerform(iterations: 2) { _ in
                        for value in 0..<count / 2 { callbacks.withLock { $0.send(value) } }
                    }
                }),
            // "By hand" are as many tasks at a time.
            Workload(
                name: "parallel-4-run-queue", element: "value", reach: 5500, isThreaded: true,
                run: { count in
                    let queue = DispatchQueue(label: "rails", attributes: .concurrent)
                    wait { done in
                        (0..<count).publisher.parallel(4).run(on: queue).map { Opaque.increment($0) }
                            .sequential(ordered: true)
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                },
                baseline: { count in
                    wait { done in
                        (0..<count).publisher.asyncMap(maxConcurrent: 4) { Opaque.increment($0) }
                            .sink(receiveCompletion: { _ in done.signal() }, receiveValue: Opaque.add)
                    }
                }),
            Workload(
                name: "for-await", element: "value", reach: 1500, isThreaded: true,
                run: { count in
                    wait {
                        for await value in (0..<count).publisher.values { Opaque.add(value) }
                    }
                },
                baseline: { count in
                    wait {
                        let stream = AsyncStream { continuation in
                            for value in 0..<count { continuation.yield(value) }
                            continuation.finish()
                        }
                        for await value in stream { Opaque.add(value) }
                    }
                }),
        ]
    }

    /// Waits until a sink has signalled the completion.
    static func wait(for subscribe: (DispatchSemaphore) -> AnyCancellable) {
        let done = DispatchSemaphore(value: 0)
        let cancellable = subscribe(done)
        done.wait()
        cancellable.cancel()
    }

    /// Runs something in a task and waits for it.
    static func wait(for operation: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await operation()
            done.signal()
        }
        done.wait()
    }
}
