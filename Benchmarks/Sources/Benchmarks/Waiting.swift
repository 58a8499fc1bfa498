import Glibc
import Headgate
import Synchronization

/// What senders that wait for their turn cost: time of the processors per send, how often they are switched, how evenly
/// they get their turn, and how long one send is held.
enum Waiting {
    private static let mutex = Mutex(())

    /// Prints one row for every number of threads and kind of sink.
    static func printTable() {
        print("| sink | threads | CPU per send | time per send | waits per send | sends per thread | longest send |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for threads in [1, 2, 4, 8] { probe("5 ms asleep", threads: threads, until: .seconds(2)) { _ in usleep(5000) } }
        for threads in [1, 2, 4, 8] {
            probe(
                "5 ms asleep, by hand", threads: threads, until: .seconds(2),
                send: { mutex.withLock { _ in _ = usleep(5000) } })
        }
        for threads in [1, 2, 4, 8] {
            probe("3 µs busy", threads: threads, sends: 200_000) { value in
                for _ in 0..<1500 { Opaque.add(value) }
            }
        }
        for threads in [1, 2, 4, 8] { probe("fast", threads: threads, sends: 2_000_000, receiveValue: Opaque.add) }
    }

    /// Lets threads send to one subject.
    private static func probe(
        _ name: String, threads: Int, sends: Int = .max, until limit: Duration? = nil,
        receiveValue: @escaping (Int) -> Void
    ) {
        let subject = PassthroughSubject<Int, Never>()
        let sink = subject.sink(receiveValue: receiveValue)
        probe(name, threads: threads, sends: sends, until: limit, send: { subject.send(1) })
        sink.cancel()
    }

    /// Lets threads send a number of values, or for some time, in which each send is timed.
    private static func probe(
        _ name: String, threads: Int, sends: Int = .max, until limit: Duration? = nil, send: @escaping () -> Void
    ) {
        nonisolated(unsafe) var sent = [Int](repeating: sends / threads, count: threads)
        nonisolated(unsafe) var longest = [Duration](repeating: .zero, count: threads)
        nonisolated(unsafe) var waits = [Int](repeating: 0, count: threads)
        let before = processorTime()
        let clock = ContinuousClock()
        let time = clock.measure {
            Turns.onThreads(threads) { number in
                if let limit {
                    let end = clock.now + limit
                    var mine = 0
                    var held = Duration.zero
                    while clock.now < end {
                        held = max(held, clock.measure(send))
                        mine += 1
                    }
                    sent[number] = mine
                    longest[number] = held
                } else {
                    for _ in 0..<sends / threads { send() }
                }
                // How often the thread has given up its processor because it had to wait.
                waits[number] = Int(usage(of: 1).ru_nvcsw)
            }
        }
        let used = processorTime() - before
        let total = sent.reduce(0, +)
        print(
            "| \(name) | \(threads) | \(microseconds(used / total)) µs | \(microseconds(time / total)) µs "
                + "| \(Double(waits.reduce(0, +) * 1000 / total) / 1000) | \(sent.min()!) to \(sent.max()!) "
                + "| \(limit == nil ? "" : "\(Int(longest.max()! / .milliseconds(1))) ms") |")
    }

    private static func microseconds(_ duration: Duration) -> Double { (duration / .nanoseconds(1)).rounded() / 1000 }

    /// What the process has used of the processors.
    private static func processorTime() -> Duration {
        let usage = usage(of: 0)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) { sum, time in
            sum + .seconds(time.tv_sec) + .microseconds(Int(time.tv_usec))
        }
    }

    /// What the process, or for one the calling thread, has used; Swift imports the names of these numbers only in part.
    private static func usage(of who: Int32) -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(who), &usage)
        return usage
    }
}
