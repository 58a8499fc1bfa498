import Glibc
import Headgate
import Synchronization

/// On which thread values are delivered, when, and how long anybody is held: what senders, subscribers and sinks on
/// several threads do to each other.
enum Turns {
    /// Prints one row for every probe.
    static func printTable() {
        print("| probe | outcome |\n| --- | --- |")
        deliveriesOnTheSendingThread()
        subscribersBesideASender()
        firstValues()
        for threads in [1, 2, 4, 8] { throughput(threads, spin: 0) }
        for threads in [1, 2, 8] { throughput(threads, spin: 130) }
        fastSenders()
        mergedSenders()
        slowSink()
        eachOther()
        aLockOfTheUser()
    }

    static func row(_ probe: String, _ outcome: String) { print("| \(probe) | \(outcome) |") }

    /// Sends from this thread while two others subscribe and cancel.
    private static func deliveriesOnTheSendingThread() {
        let subject = PassthroughSubject<Int, Never>()
        nonisolated(unsafe) var sender: UInt = 0
        nonisolated(unsafe) var delivered = 0
        nonisolated(unsafe) var onSender = 0
        nonisolated(unsafe) var early = 0
        let sink = subject.sink { _ in
            delivered += 1
            if UInt(pthread_self()) == sender { onSender += 1 }
        }
        let isOver = Atomic(false)
        onThreads(3) { number in
            if number == 0 {
                sender = UInt(pthread_self())
                for value in 1...200_000 {
                    subject.send(value)
                    if delivered == value { early += 1 }
                }
                isOver.store(true, ordering: .releasing)
            } else {
                while !isOver.load(ordering: .acquiring) { subject.sink { _ in }.cancel() }
            }
        }
        sink.cancel()
        row("200,000 sends while two threads subscribe and cancel: values delivered", "\(delivered)")
        row("of these on the sending thread", "\(onSender)")
        row("of these when `send` returned", "\(early)")
    }

    /// How long subscribing and cancelling take while another thread sends without pause.
    private static func subscribersBesideASender() {
        let subject = PassthroughSubject<Int, Never>()
        let sink = subject.sink(receiveValue: Opaque.add)
        let isOver = Atomic(false)
        nonisolated(unsafe) var calls = 0
        nonisolated(unsafe) var longest = Duration.zero
        onThreads(2) { number in
            let clock = ContinuousClock()
            if number == 0 {
                while !isOver.load(ordering: .relaxed) { subject.send(1) }
            } else {
                let end = clock.now + .seconds(2)
                while clock.now < end {
                    longest = max(longest, clock.measure { subject.sink { _ in }.cancel() })
                    calls += 1
                }
                isOver.store(true, ordering: .relaxed)
            }
        }
        sink.cancel()
        row("`sink` and `cancel` next to a busy sender, in 2 s", "\(calls) times, the longest \(longest)")
    }

    /// Whether a sink has its first value when `sink` returns, while another thread sends.
    private static func firstValues() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let isOver = Atomic(false)
        nonisolated(unsafe) var without = 0
        onThreads(2) { number in
            if number == 0 {
                while !isOver.load(ordering: .relaxed) { subject.send(1) }
            } else {
                for _ in 0..<2000 {
                    let count = Atomic(0)
                    subject.sink { _ in count.add(1, ordering: .relaxed) }.cancel()
                    if count.load(ordering: .relaxed) == 0 { without += 1 }
                }
                isOver.store(true, ordering: .relaxed)
            }
        }
        row("`CurrentValueSubject.sink` without a first value while a thread sends", "\(without) of 2,000")
    }

    /// Nanoseconds a send, and memory, where several threads send into one subject.
    private static func throughput(_ threads: Int, spin: Int) {
        let subject = PassthroughSubject<Int, Never>()
        let sink = subject.sink { value in
            for _ in 0..<spin { Opaque.add(value) }
        }
        let each = 800_000 / threads
        let time = ContinuousClock().measure {
            onThreads(threads) { _ in for value in 0..<each { subject.send(value) } }
        }
        sink.cancel()
        let work = spin == 0 ? "" : ", \(spin) additions per delivery"
        row(
            "\(threads) thread\(threads == 1 ? "" : "s") sending to one subject\(work)",
            "\(Int(time / .nanoseconds(1)) / 800_000) ns per send")
    }

    /// Eight threads that send a million values each into a sink of about 3 microseconds.
    private static func fastSenders() {
        let subject = PassthroughSubject<Int, Never>()
        let sink = subject.sink { value in
            for _ in 0..<1500 { Opaque.add(value) }
        }
        let before = peakMemory()
        onThreads(8) { _ in for value in 0..<100_000 { subject.send(value) } }
        sink.cancel()
        row(
            "8 threads, 100,000 values each, to a sink that takes about 3 µs: growth of peak memory",
            "\(peakMemory() - before) KiB")
    }

    /// The same through `merge`, where each sender is inside the delivery of its own subject.
    private static func mergedSenders() {
        let subjects = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
        nonisolated(unsafe) var foreign = 0
        nonisolated(unsafe) var threads = [UInt](repeating: 0, count: 4)
        let sink = Publishers.MergeMany(subjects.enumerated().map { index, subject in subject.map { _ in index } })
            .sink { index in
                if UInt(pthread_self()) != threads[index] { foreign += 1 }
                for _ in 0..<1500 { Opaque.add(index) }
            }
        let before = peakMemory()
        onThreads(4) { number in
            threads[number] = UInt(pthread_self())
            for value in 0..<100_000 { subjects[number].send(value) }
        }
        sink.cancel()
        row("4 threads through `merge`, 100,000 values each: values delivered by another thread", "\(foreign)")
        row("the same: growth of peak memory", "\(peakMemory() - before) KiB")
    }

    /// How long a call is held where the sink takes five milliseconds and four threads send.
    private static func slowSink() {
        let subject = PassthroughSubject<Int, Never>()
        let sink = subject.sink { _ in usleep(5000) }
        nonisolated(unsafe) var longest = [Duration](repeating: .zero, count: 4)
        onThreads(4) { number in
            let clock = ContinuousClock()
            let end = clock.now + .seconds(2)
            var mine = Duration.zero
            while clock.now < end { mine = max(mine, clock.measure { subject.send(1) }) }
            longest[number] = mine
        }
        sink.cancel()
        row("4 threads for 2 s to a sink that takes 5 ms: the longest `send` of each", "\(longest)")
    }

    /// Two subjects that send into each other from two threads.
    private static func eachOther() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<Int, Never>()
        let sinks = [a.sink { if $0 > 0 { b.send(0) } }, b.sink { if $0 > 0 { a.send(0) } }]
        let time = ContinuousClock().measure {
            onThreads(2) { number in for _ in 0..<100_000 { (number == 0 ? a : b).send(1) } }
        }
        for sink in sinks { sink.cancel() }
        row("two subjects that send to each other, 200,000 sends", "\(time)")
    }

    /// A sink that takes a lock while another thread sends holding it.
    private static func aLockOfTheUser() {
        let subject = PassthroughSubject<Int, Never>()
        let lock = Mutex(0)
        let sink = subject.sink { value in if value == 1 { lock.withLock { $0 += 1 } } }
        let time = ContinuousClock().measure {
            onThreads(2) { number in
                for _ in 0..<1000 {
                    if number == 0 { subject.send(1) } else { lock.withLock { _ in subject.send(2) } }
                }
            }
        }
        sink.cancel()
        row("a sink that takes a lock while another thread sends holding that lock, 2,000 sends", "\(time)")
    }

    /// The most memory that the process has had, in KiB.
    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }

    static func onThreads(_ count: Int, _ body: @escaping (Int) -> Void) {
        let bodies = (0..<count).map { number in Unmanaged.passRetained(Body { body(number) }) }
        let threads = bodies.map { body in
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { pointer in
                    Unmanaged<Body>.fromOpaque(pointer!).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            return thread
        }
        for thread in threads { pthread_join(thread, nil) }
    }

    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
