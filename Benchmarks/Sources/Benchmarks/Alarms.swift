import Dispatch
import Glibc
import Headgate
import Heap

/// What streams that wait for a time cost: memory while they wait, and processor time when they tick.
enum Alarms {
    static func report() {
        let queue = DispatchQueue(label: "alarms")
        print("bytes of one of 100,000 live subscriptions to one subject, with their sinks")
        report("timeout") { subject in subject.timeout(.seconds(30), scheduler: queue).sink { _ in } }
        report("debounce, with a value that waits", sends: true) { subject in
            subject.debounce(for: .seconds(30), scheduler: queue).sink { _ in }
        }
        report("DispatchTimer") { _ in Publishers.timer(queue: queue, interval: .seconds(30)).sink { _ in } }
        print("processor time of a tick of one of 1,000 timers of 10 ms")
        reportTicks("a serial queue", on: queue)
        reportTicks("a global queue", on: .global())
    }

    private static func report(
        _ name: String, sends: Bool = false, _ subscribe: (PassthroughSubject<Int, Never>) -> AnyCancellable
    ) {
        let count = 100_000
        let subject = PassthroughSubject<Int, Never>()
        var sinks: [AnyCancellable] = []
        sinks.reserveCapacity(count)
        let before = allocated
        for _ in 0..<count { sinks.append(subscribe(subject)) }
        if sends { subject.send(1) }
        print("  \(name): \((allocated - before) / count)")
        sinks.removeAll()
    }

    private static func reportTicks(_ name: String, on queue: DispatchQueue) {
        let count = 1000
        let sinks = (0..<count).map { _ in
            Publishers.timer(queue: queue, interval: .milliseconds(10)).sink { _ in }
        }
        usleep(100_000)
        let before = processorTime
        usleep(3_000_000)
        // Ticks that come late are not repeated: under load there are fewer of them, and the figure is too low.
        let ticks = Double(count * 300)
        print("  \(name): \((processorTime - before) / ticks * 1e6) µs")
        for sink in sinks { sink.cancel() }
    }

    private static var allocated: Int {
        let figures = mallinfo2()
        return figures.uordblks + figures.hblkhd
    }

    /// Seconds of the processor that this process has used.
    private static var processorTime: Double { Double(clock()) / 1e6 }
}
