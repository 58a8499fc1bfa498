import Dispatch
import Headgate
import HeadgateSystem

/// Runs what `.ci/house` counts, in a debug build under callgrind.
///
///     Paths NAME            the life of one stream or, for an operator, of several
///     Paths                 the names
@main
enum Paths {
    static func main() {
        guard let name = CommandLine.arguments.dropFirst().first else {
            for name in streams.keys.sorted() { print("stream\t\(name)") }
            for name in operators.keys.sorted() { print("operator\t\(name)") }
            return
        }
        (streams[name] ?? operators[name] ?? drawn[name])?()
    }

    /// What happens between two calls of `mark`: the paths that Architecture.md draws.
    static let drawn: [String: @Sendable () -> Void] = [
        "value": {
            let subject = PassthroughSubject<Int, Never>()
            let stream = subject.map { $0 + 1 }.filter { $0 > 0 }.sink { _ in }
            mark()
            subject.send(1)
            mark()
            stream.cancel()
        },
        "request": {
            let subject = PassthroughSubject<Int, Never>()
            let subscriber = HandSubscriber<Int>()
            subject.map { $0 + 1 }.filter { $0 > 0 }.subscribe(subscriber)
            mark()
            subscriber.subscription?.request(.max(1))
            mark()
            subject.send(1)
        },
    ]

    /// Streams that are subscribed to, carry a value to a sink, and are cancelled or complete.
    static let streams: [String: @Sendable () -> Void] = [
        "range, map, filter, sink": {
            _ = (1...1).publisher.map { $0 + 1 }.filter { $0 > 0 }.sink { _ in }
        },
        "subject, sink": {
            let subject = PassthroughSubject<Int, Never>()
            let stream = subject.sink { _ in }
            subject.send(1)
            stream.cancel()
        },
        "subject, flatMap, sink": {
            let subject = PassthroughSubject<Int, Never>()
            let stream = subject.flatMap { Just($0) }.sink { _ in }
            subject.send(1)
            stream.cancel()
        },
        "subjects, zip, sink": {
            let first = PassthroughSubject<Int, Never>()
            let second = PassthroughSubject<Int, Never>()
            let stream = first.zip(second).sink { _ in }
            first.send(1)
            second.send(1)
            stream.cancel()
        },
        "subject, debounce, sink": {
            let subject = PassthroughSubject<Int, Never>()
            let queue = DispatchQueue(label: "debounce")
            let arrived = DispatchSemaphore(value: 0)
            let stream = subject.debounce(for: .milliseconds(5), scheduler: queue).sink { _ in arrived.signal() }
            subject.send(1)
            arrived.wait()
            queue.sync {}
            stream.cancel()
        },
        "file, bytes, lines, sink": {
            let finished = DispatchSemaphore(value: 0)
            let stream = File("/proc/version").bytes().lines()
                .sink(receiveCompletion: { _ in finished.signal() }, receiveValue: { _ in })
            finished.wait()
            stream.cancel()
        },
    ]

    /// Operators and subjects between a publisher and a subscriber that are written by hand.
    static let operators: [String: @Sendable () -> Void] = [
        "filter": {
            let source = HandSource<Int>()
            let filtered = source.filter { $0 > 0 }
            live(filtered, send: source.send, finish: source.finish)
        },
        "merge": {
            let first = HandSource<Int>()
            let second = HandSource<Int>()
            live(first.merge(with: second), send: eachOf(first, second), finish: bothOf(first, second))
        },
        "zip": {
            let first = HandSource<Int>()
            let second = HandSource<Int>()
            live(first.zip(second), send: eachOf(first, second), finish: bothOf(first, second))
        },
        "combineLatest": {
            let first = HandSource<Int>()
            let second = HandSource<Int>()
            live(first.combineLatest(second), send: eachOf(first, second), finish: bothOf(first, second))
        },
        "flatMap": {
            let outer = HandSource<Int>()
            let inner = HandSource<Int>()
            live(outer.flatMap { _ in inner }, send: eachOf(outer, inner), finish: bothOf(outer, inner))
        },
        "switchToLatest": {
            let outer = HandSource<HandSource<Int>>()
            let inner = HandSource<Int>()
            live(
                outer.switchToLatest(),
                send: {
                    outer.send(inner)
                    inner.send($0)
                },
                finish: {
                    outer.finish()
                    inner.finish()
                })
        },
        "debounce": {
            let source = HandSource<Int>()
            let scheduler = HandScheduler()
            live(
                source.debounce(for: 1, scheduler: scheduler),
                send: {
                    source.send($0)
                    scheduler.advance()
                },
                finish: {
                    source.finish()
                    scheduler.advance()
                })
        },
        "subject": {
            let subject = PassthroughSubject<Int, Never>()
            live(subject, send: subject.send) { subject.send(completion: .finished) }
        },
        "share": {
            let source = HandSource<Int>()
            live(source.share(), send: source.send, finish: source.finish)
        },
    ]

    private static func eachOf(_ first: HandSource<Int>, _ second: HandSource<Int>) -> (Int) -> Void {
        {
            first.send($0)
            second.send($0)
        }
    }

    private static func bothOf(_ first: HandSource<Int>, _ second: HandSource<Int>) -> () -> Void {
        {
            first.finish()
            second.finish()
        }
    }

    /// Has valgrind, which is told this name, write down what has been counted.
    @_silgen_name("paths_mark")
    @_optimize(none)
    @inline(never)
    private static func mark() {}

    /// Two streams of an operator: one is cancelled; one receives values without demand, from inside a delivery, and from another thread
    /// during one, and completes.
    private static func live<Output>(
        _ publisher: some Publisher<Output, Never>, send: @escaping (Int) -> Void, finish: () -> Void
    ) {
        let leaving = HandSubscriber<Output>()
        publisher.subscribe(leaving)
        leaving.subscription?.request(.unlimited)
        send(1)
        leaving.subscription?.cancel()

        let subscriber = HandSubscriber<Output>()
        publisher.subscribe(subscriber)
        send(2)
        subscriber.subscription?.request(.max(1))
        send(3)
        subscriber.subscription?.request(.unlimited)
        subscriber.atNextValue = { send(4) }
        send(5)
        subscriber.atNextValue = {
            let sent = DispatchSemaphore(value: 0)
            nonisolated(unsafe) let send = send
            DispatchQueue.global().async {
                send(6)
                sent.signal()
            }
            sent.wait()
        }
        send(7)
        finish()
    }
}
