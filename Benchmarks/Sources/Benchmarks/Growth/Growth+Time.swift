import Headgate
import HeadgateTesting
import Dispatch

// Operators that use time, and operators whose work is done by tasks.
extension Growth {
    static var timed: [Growth] {
        [
            onTime("receive(on:)", { values, time in values.receive(on: time) }),
            onTime("receive(on: ImmediateScheduler)", { values, _ in values.receive(on: ImmediateScheduler.shared) }),
            onTime("subscribe(on:)", { values, time in values.subscribe(on: time) }),
            onTime("delay", { values, time in values.delay(for: 1, scheduler: time) }),
            onTime("debounce", { values, time in values.debounce(for: 1, scheduler: time) }),
            onTime("throttle", { values, time in values.throttle(for: 1, scheduler: time, latest: true) }),
            onTime("timeout", { values, time in values.timeout(1, scheduler: time) }),
            onTime("measureInterval", { values, time in values.measureInterval(using: time) }),
            onTime("collect(.byTime)", { values, time in values.collect(.byTime(time, 1)) }),
            onTime("rateLimit", { values, time in values.rateLimit(10, per: 1, scheduler: time) }),
            onTime("prefix(duration:)", { values, time in values.prefix(duration: 1, on: time) }),
            onTime("batch(within:)", { values, time in values.batch(count: .max, within: 1, scheduler: time) }),
            onTime(
                "window(within:)",
                { values, time in
                    values.window(within: 1, scheduler: time, unread: .hold).flatMap { $0 }
                }),
            onTime(
                "flatMap to delayed", { values, time in values.flatMap { Just($0).delay(for: 1, scheduler: time) } }),
            onTime(
                "flatMap to delayed, the last first",
                { values, time in
                    values.flatMap { Just($0).delay(for: .seconds(100_000 - $0), scheduler: time) }
                }),
            onTime(
                "flatMapLatest to delayed",
                { values, time in
                    values.flatMapLatest { Just($0).delay(for: 1, scheduler: time) }
                }),
            onTime(
                "delaySubscription",
                { values, time in
                    values.flatMap { Just($0).delaySubscription(for: 1, scheduler: time) }
                }),
            onTime(
                "groupBy with a limit of idle time",
                { values, time in
                    values.groupBy(limit: 100_000, idleTimeout: 1, scheduler: time, whenFull: .drop) { $0 }
                        .flatMap { $0 }
                }),
            onTime("rateLimit with a burst", { $0.rateLimit(100_000, per: 1, burst: 100_000, scheduler: $1) }),
            onTime(
                "onBackpressureBuffer with an expiry",
                { values, time in
                    values.onBackpressureBuffer(limit: .max, whenFull: .dropNewest, expiry: 1, scheduler: time)
                }),
            onTime(
                "share(replay:for:)", { values, time in values.share(replay: .max, for: 1, scheduler: time) }),
            Growth(name: "timers that are cancelled") { count in
                for isBackwards in [false, true] {
                    let time = TestScheduler()
                    let timers = (0..<count).map { number in
                        Empty<Int, Never>(completeImmediately: false)
                            .timeout(.seconds(1 + number), scheduler: time).drain()
                    }
                    for timer in isBackwards ? timers.reversed() : timers { timer.cancel() }
                }
            },
        ]
    }

    static var tasks: [Growth] {
        [
            awaited("asyncMap", { values, count in values.asyncMap(maxConcurrent: count) { await twice($0) } }),
            awaited(
                "asyncMap, unordered",
                { values, count in
                    values.asyncMap(maxConcurrent: count, ordered: false) { await twice($0) }
                }),
            awaited(
                "asyncMap(by:)",
                { values, count in
                    values.asyncMap(maxConcurrent: count, by: { $0 }) { await twice($0) }
                }),
            awaited(
                "asyncMap(by:) with one key",
                { values, count in
                    values.asyncMap(maxConcurrent: count, by: { _ in 0 }) { await twice($0) }
                }),
            awaited(
                "asyncFlatMap",
                { values, count in
                    values.asyncFlatMap(maxConcurrent: count) { Just(await twice($0)) }
                }),
            Growth(name: "StreamChannel with senders that wait") { count in
                let channel = StreamChannel<Int, Never>(capacity: 1)
                let isOver = DispatchSemaphore(value: 0)
                Task {
                    await withTaskGroup(of: Void.self) { group in
                        for number in 0..<count { group.addTask { _ = try? await channel.send(number) } }
                        group.addTask {
                            for await _ in channel.prefix(count).values { Opaque.add(1) }
                        }
                    }
                    isOver.signal()
                }
                isOver.wait()
            },
        ]
    }

    private static func twice(_ value: Int) async -> Int {
        await Task.yield()
        return 2 * value
    }

    /// Waits for the end of what tasks do.
    private static func awaited<P: Publisher>(
        _ name: String, _ make: @escaping (Publishers.Sequence<Range<Int>, Never>, _ count: Int) -> P
    ) -> Growth {
        Growth(name: name) { count in
            let isOver = DispatchSemaphore(value: 0)
            let sink = make((0..<count).publisher, max(1, count)).sink(
                receiveCompletion: { _ in isOver.signal() }, receiveValue: { _ in Opaque.add(1) })
            isOver.wait()
            sink.cancel()
        }
    }
}
