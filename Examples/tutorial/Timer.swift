import Dispatch
import Headgate

/// `Publishers.timer` ticks from the first demand on, and drops ticks without demand.
func timer() {
    let queue = DispatchQueue(label: "timer")
    let done = DispatchSemaphore(value: 0)

    // Four ticks, then the end.
    let start = DispatchTime.now()
    let ticks = Publishers.timer(queue: queue, interval: .milliseconds(20), times: .max(4))
        .map { tick in (tick.uptimeNanoseconds - start.uptimeNanoseconds) / 20_000_000 }
        .scan(0) { count, _ in count + 1 }
        .sink(
            receiveCompletion: { completion in
                print("  ticks: \(completion)")
                done.signal()
            },
            receiveValue: { print("  tick \($0)") })
    done.wait()
    ticks.cancel()

    // Two out of many: after the second, the timer is released.
    let two = Publishers.timer(queue: queue, interval: .milliseconds(5))
        .prefix(2)
        .sink(
            receiveCompletion: { completion in
                print("  two: \(completion)")
                done.signal()
            },
            receiveValue: { _ in print("  two: tick") })
    done.wait()
    two.cancel()
}
