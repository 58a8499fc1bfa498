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

    /// Runs something in a task and waits for it.
    private static func wait(for operation: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            await operation()
            done.signal()
        }
        done.wait()
    }
}
