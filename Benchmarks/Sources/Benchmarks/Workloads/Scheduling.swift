import Dispatch
import Headgate

extension Workload {
    /// Queues and timers.
    static var scheduling: [Workload] {
        [
            Workload(
                name: "receive-on-queue", element: "value", reach: 1600, isThreaded: true,
                run: { count in
                    let queue = DispatchQueue(label: "benchmark")
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.receive(on: queue).sink(receiveValue: Opaque.add)
                    for value in 0..<count { subject.send(value) }
                    queue.sync {}
                    sink.cancel()
                },
                baseline: { count in
                    let queue = DispatchQueue(label: "benchmark")
                    let add = Opaque.add
                    for value in 0..<count { queue.async { add(value) } }
                    queue.sync {}
                }),
            Workload(
                name: "debounce-reset", element: "send", reach: 1500, isThreaded: true,
                run: { count in
                    let queue = DispatchQueue(label: "benchmark")
                    let subject = PassthroughSubject<Int, Never>()
                    let sink = subject.debounce(for: .seconds(1000), scheduler: queue).sink(receiveValue: Opaque.add)
                    for value in 0..<count { subject.send(value) }
                    queue.sync {}
                    sink.cancel()
                },
                baseline: { count in
                    let queue = DispatchQueue(label: "benchmark")
                    let add = Opaque.add
                    let callbacks = Callbacks()
                    var pending: DispatchWorkItem?
                    _ = callbacks.add { value in
                        pending?.cancel()
                        let item = DispatchWorkItem { add(value) }
                        pending = item
                        queue.asyncAfter(deadline: .now() + .seconds(1000), execute: item)
                    }
                    for value in 0..<count { callbacks.send(value) }
                    queue.sync {}
                    pending?.cancel()
                }),
        ]
    }
}
