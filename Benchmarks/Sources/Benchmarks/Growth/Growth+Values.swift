import Headgate
import HeadgateFlow
import HeadgateTesting

// Operators that make publishers of values, keep values, or begin again.
extension Growth {
    /// Operators that make a publisher of each value.
    static var inner: [Growth] {
        [
            through("flatMap to Just", { values, _ in values.flatMap { Just($0) } }),
            through("flatMapSequential to Just", { $0.flatMapSequential(maxConcurrent: max(1, $1)) { Just($0) } }),
            through("concatMap", { values, _ in values.concatMap { Just($0) } }),
            through("flatMapLatest", { values, _ in values.flatMapLatest { Just($0) } }),
            through("flatMapFirst", { values, _ in values.flatMapFirst { Just($0) } }),
            through("switchOnFirst", { values, _ in values.switchOnFirst { _, all in all } }),
            through(
                "parallel", { values, count in values.parallel(max(1, count)).map { $0 }.sequential(ordered: true) }),
            through("mapMany", { values, count in values.collect().mapMany { $0 } }),
            through(
                "groupBy",
                { values, count in
                    values.groupBy(limit: max(1, count), whenFull: .drop) { $0 }.flatMap { $0 }
                }),
            through(
                "groupBy with groups that leave",
                { values, _ in
                    values.groupBy(limit: 100, whenFull: .finishIdlest) { $0 }.flatMap { $0 }
                }),
            through("window(count:)", { values, _ in values.window(count: 3, unread: .hold).concatMap { $0 } }),
            through(
                "window of all",
                { values, count in
                    values.window(count: max(1, count), unread: .hold).concatMap { $0 }
                }),
            Growth(name: "window(on:)") { count in
                let (values, boundary) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
                let sink = values.window(on: boundary, unread: .hold).flatMap { $0 }.drain()
                for value in 0..<count {
                    values.send(value)
                    boundary.send()
                }
                sink.cancel()
            },
        ]
    }

    /// Operators that make publishers of what these publish.
    static var levels: [Growth] {
        [
            expanding("breadth first, wide", .breadthFirst) { $1 < $0 ? [2 * $1, 2 * $1 + 1] : [] },
            expanding("depth first, wide", .depthFirst) { $1 < $0 ? [2 * $1, 2 * $1 + 1] : [] },
            expanding("breadth first, deep", .breadthFirst) { $1 < $0 ? [$1 + 1] : [] },
            expanding("depth first, deep", .depthFirst) { $1 < $0 ? [$1 + 1] : [] },
        ]
    }

    private static func expanding(
        _ name: String, _ order: Publishers.ExpansionOrder, _ children: @escaping (_ count: Int, _ node: Int) -> [Int]
    ) -> Growth {
        Growth(name: "expand \(name)") { count in
            _ = Just(1).expand(order, limit: .max, whenFull: .skip) { children(count, $0).publisher }.drain()
        }
    }

    /// Operators that subscribe again.
    static var attempts: [Growth] {
        [
            Growth(name: "retry") { _ = Fail<Int, TestFailure>(error: .again).retry($0).drain() },
            Growth(name: "retry(policy)") { count in
                let time = TestScheduler()
                let sink = Fail<Int, TestFailure>(error: .again)
                    .retry(.constant(.seconds(1), retries: count), scheduler: time).drain()
                time.runUntilIdle(limit: .max)
                sink.cancel()
            },
            Growth(name: "circuitBreaker") { count in
                let policy = CircuitBreakerPolicy(failures: max(1, count), openFor: .seconds(1))
                let breaker = CircuitBreaker(policy, name: "growth", scheduler: TestScheduler())
                let runs = (0..<count).map { _ in
                    Empty<Int, any Error>(completeImmediately: false).circuitBreaker(breaker).drain()
                }
                let failing = Fail<Int, any Error>(error: TestFailure.again).circuitBreaker(breaker)
                for _ in 0..<count { _ = failing.drain() }
                for run in runs { run.cancel() }
            },
            Growth(name: "repeat") { _ = Just(1).repeat(times: max(1, $0)).drain() },
        ]
    }

    private enum TestFailure: Error { case again }

    /// Operators that keep values.
    static var values: [Growth] {
        [
            through("collect", { values, _ in values.collect() }),
            through("collect(count)", { values, _ in values.collect(3) }),
            through("chunked", { values, _ in values.chunked { $0 / 10 == $1 / 10 } }),
            through("chunked(on:)", { values, _ in values.chunked { $0 } }),
            through("sliding", { values, _ in values.sliding(3) }),
            through("pairwise", { values, _ in values.pairwise() }),
            through("removeAllDuplicates", { values, _ in values.removeAllDuplicates() }),
            through("removeAllDuplicates(rememberingLast:)", { $0.removeAllDuplicates(rememberingLast: max(1, $1)) }),
            through("append(sequence)", { values, count in values.append(0..<count) }),
            through("prepend(sequence)", { values, count in values.prepend(0..<count) }),
            through("buffer", { $0.buffer(size: $1, prefetch: .byRequest, whenFull: .dropNewest) }),
            through("buffer that is filled", { $0.buffer(size: $1, prefetch: .keepFull, whenFull: .dropNewest) }),
            through("prefetch", { $0.prefetch(max(1, $1)) }),
            through("onBackpressureBuffer", { $0.onBackpressureBuffer(limit: max(1, $1), whenFull: .dropNewest) }),
            through("batch", { values, _ in values.batch(count: 100) }),
            through("batch of all", { values, count in values.batch(count: max(1, count)) }),
            through("nwise of many", { values, count in values.nwise(max(1, count)) }),
            through("conflate(into:)", { values, _ in values.conflate(into: { [$0] }, { $0.append($1) }) }),
            through("batchWhileBusy", { values, _ in values.batchWhileBusy(limit: 3) }),
            through("shareReplay", { $0.shareReplay(capacity: $1) }),
            through("share(replay:)", { $0.share(replay: $1) }),
            through("materialize", { values, _ in values.materialize().dematerialize() }),
            kept("buffer", { $0.buffer(size: $1, prefetch: .byRequest, whenFull: .dropNewest) }),
            kept("buffer that drops", { up, _ in up.buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest) }),
            kept("onBackpressureBuffer", { $0.onBackpressureBuffer(limit: max(1, $1), whenFull: .dropNewest) }),
            kept("conflate(into:)", { up, _ in up.conflate(into: { [$0] }, { $0.append($1) }).map(\.count) }),
            kept("flatMap to Just", { up, _ in up.flatMap { Just($0) } }),
            kept("flatMapSequential to Just", { $0.flatMapSequential(maxConcurrent: max(1, $1)) { Just($0) } }),
            kept("concatMap", { up, _ in up.concatMap { Just($0) } }),
            kept("broadcast", { $0.broadcast(limit: max(1, $1)) }),
            kept("partition", { $0.partition(limit: max(1, $1)) { $0 >= 0 }.matches }),
            kept("groupBy", { up, count in up.groupBy(limit: max(1, count), whenFull: .drop) { $0 }.flatMap { $0 } }),
            kept("window(count:)", { up, _ in up.window(count: 3, buffer: 3, unread: .hold).concatMap { $0 } }),
            kept("prefetch", { $0.prefetch(max(1, $1)) }),
            kept("batchWhileBusy", { up, count in up.batchWhileBusy(limit: max(1, count)).map(\.count) }),
            kept("shareReplay", { $0.shareReplay(capacity: $1) }),
            kept("combineLatest", { up, _ in up.combineLatest(up) { $0 + $1 } }),
            kept("zip", { up, _ in up.zip(up) { $0 + $1 } }),
            kept("merge", { up, _ in up.merge(with: up) }),
            Growth(name: "zip with one side ahead") { count in
                let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
                let sink = first.zip(second) { $0 + $1 }.drain()
                for value in 0..<count { first.send(value) }
                for value in 0..<count { second.send(value) }
                sink.cancel()
            },
            Growth(name: "stage with streams") { count in
                let flow = Flow("growth")
                for isBackwards in [false, true] {
                    let subject = PassthroughSubject<Int, Never>()
                    let staged = subject.stage("all", in: flow)
                    let sinks = (0..<count).map { _ in staged.drain() }
                    subject.send(1)
                    _ = flow.table()
                    for sink in isBackwards ? sinks.reversed() : sinks { sink.cancel() }
                }
            },
            Growth(name: "StreamChannel") { count in
                let channel = StreamChannel<Int, Never>(capacity: max(1, count))
                for value in 0..<count { _ = channel.trySend(value) }
                channel.send(completion: .finished)
                _ = channel.drain()
            },
            Growth(name: "emitter") { count in
                _ = Publishers.emitter(Int.self, buffering: .unbounded) { emitter in
                    for value in 0..<count { emitter.send(value) }
                    emitter.finish()
                }.drain()
            },
            Growth(name: "ReplaySubject") { count in
                let subject = ReplaySubject<Int, Never>(bufferSize: count)
                for value in 0..<count { subject.send(value) }
                _ = subject.drain()
            },
        ]
    }

    /// Everything is sent before anything is requested, and then requested one by one.
    private static func kept<P: Publisher<Int, Never>>(
        _ name: String, _ make: @escaping (PassthroughSubject<Int, Never>, _ count: Int) -> P
    ) -> Growth {
        Growth(name: "\(name) behind a subject") { count in
            let subject = PassthroughSubject<Int, Never>()
            let subscriber = CountedSubscriber()
            make(subject, count).subscribe(subscriber)
            subscriber.request(1)
            for value in 0..<count { subject.send(value) }
            for _ in 0..<count { subscriber.request(1) }
            subject.send(completion: .finished)
            subscriber.cancel()
        }
    }
}

/// Requests what it is told to.
final class CountedSubscriber: Subscriber {
    private var upstream: (any Subscription)?

    func receive(subscription: any Subscription) { upstream = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        Opaque.add(1)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    func request(_ count: Int) { upstream?.request(.max(count)) }

    func cancel() { upstream?.cancel() }
}
