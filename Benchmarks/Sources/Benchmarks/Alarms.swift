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
        report("timeout(first:between:total:)") { subject in
            subject.setFailureType(to: StreamTimeout.self)
                .timeout(between: .seconds(30), total: .seconds(60), scheduler: queue) { $0 }
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        }
        report("debounce, with a value that waits", sends: true) { subject in
            subject.debounce(for: .seconds(30), scheduler: queue).sink { _ in }
        }
        report("DispatchTimer") { _ in Publishers.timer(queue: queue, interval: .seconds(30)).sink { _ in } }
        print("processor time of a tick of one of 1,000 timers of 10 ms")
        reportTicks("a serial queue", on: queue)
        reportTicks("a global queue", on: .global())
        print("processor time of a value")
        reportDelays(on: queue)
        reportValues("receive(on:)") { $0.receive(on: queue) }
        reportValues("timeout") { $0.timeout(.seconds(30), scheduler: queue) }
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

    private static func reportDelays(on queue: DispatchQueue) {
        let (count, rounds) = (1000, 200)
        let subjects = (0..<count).map { _ in PassthroughSubject<Int, Never>() }
        let sinks = subjects.map { $0.delay(for: .milliseconds(10), scheduler: queue).sink { _ in } }
        let before = processorTime
        for round in 0..<rounds {
            for subject in subjects { subject.send(round) }
            usleep(15_000)
        }
        let time = (processorTime - before) / Double(count * rounds)
        print("  one of 1,000 streams with a delay of 10 ms: \(time * 1e6) µs")
        for sink in sinks { sink.cancel() }
    }

    /// The least of five runs.
    private static func reportValues<P: Publisher>(
        _ name: String, _ make: (PassthroughSubject<Int, Never>) -> P
    ) where P.Output == Int, P.Failure == Never {
        let count = 200_000
        let times = (0..<5).map { _ in
            let subject = PassthroughSubject<Int, Never>()
            var received = 0
            let done = DispatchSemaphore(value: 0)
            let sink = make(subject).sink { _ in
                received += 1
                if received == count { done.signal() }
            }
            let before = processorTime
            for value in 0..<count { subject.send(value) }
            done.wait()
            let time = processorTime - before
            sink.cancel()
            return time
        }
        print("  \(name): \((times.min() ?? 0) / Double(count) * 1e9) ns")
    }

    private static var allocated: Int {
        let figures = mallinfo2()
        return figures.uordblks + figures.hblkhd
    }

    /// Seconds of the processor that this process has used.
    private static var processorTime: Double { Double(clock()) / 1e6 }
}
