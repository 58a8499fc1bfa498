import Headgate
import HeadgateTesting

// Publishers with many subscribers.
extension Growth {
    /// The subscribers leave in order, backwards, and by the end.
    static var subscribers: [Growth] {
        [
            crowd("PassthroughSubject", { subject, _ in subject }),
            crowd("share", { subject, _ in subject.share() }),
            crowd("multicast", { subject, _ in subject.multicast { PassthroughSubject() }.autoconnect() }),
            crowd("shareReplay", { subject, _ in subject.shareReplay(capacity: 2) }),
            crowd("share(replay:)", { subject, _ in subject.share(replay: 2) }),
            crowd("broadcast", { subject, _ in subject.broadcast() }),
            crowd("broadcast(to:)", { subject, count in subject.broadcast(to: max(1, count)) }),
            crowd("partition", { subject, _ in subject.partition { $0 > 0 }.matches }),
            crowd("cached", { subject, _ in subject.cached(for: .seconds(1), scheduler: TestScheduler()) }),
            crowd(
                "autoconnect(after:)",
                { subject, count in
                    subject.makeConnectable().autoconnect(after: max(1, count), scheduler: TestScheduler())
                }),
            crowd("CurrentValueSubject", on: { CurrentValueSubject(0) }, { subject, _ in subject }),
            crowd("ReplaySubject", on: { ReplaySubject(bufferSize: 2) }, { subject, _ in subject }),
            hesitant("broadcast", { subject, _ in subject.broadcast() }),
            hesitant("shareReplay", { subject, _ in subject.shareReplay(capacity: 2) }),
            hesitant("share(replay:)", { subject, _ in subject.share(replay: 2) }),
            hesitant("CurrentValueSubject", { _, _ in CurrentValueSubject<Int, Never>(0) }),
            Growth(name: "Future with subscribers") { count in
                var settle: Future<Int, Never>.Promise?
                let future = Future<Int, Never> { settle = $0 }
                let sinks = (0..<count).map { _ in future.drain() }
                sinks.prefix(count / 3).forEach { $0.cancel() }
                sinks.suffix(count / 3).reversed().forEach { $0.cancel() }
                settle?(.success(1))
            },
        ]
    }

    private static func crowd<P: Publisher>(
        _ name: String, _ make: @escaping (PassthroughSubject<Int, Never>, _ count: Int) -> P
    ) -> Growth {
        crowd(name, on: { PassthroughSubject() }, make)
    }

    private static func crowd<S: Subject<Int, Never>, P: Publisher>(
        _ name: String, on makeSubject: @escaping () -> S, _ make: @escaping (S, _ count: Int) -> P
    ) -> Growth {
        Growth(name: "\(name) with subscribers") { count in
            for leaving in 0..<3 {
                let subject = makeSubject()
                let publisher = make(subject, count)
                let sinks = (0..<count).map { _ in publisher.drain() }
                subject.send(1)
                switch leaving {
                case 0: sinks.forEach { $0.cancel() }
                case 1: sinks.reversed().forEach { $0.cancel() }
                default: subject.send(completion: .finished)
                }
            }
        }
    }

    /// Each subscriber requests another number of values, one time after the other, before they leave: those that have
    /// requested most first, or last.
    private static func hesitant<P: Publisher<Int, Never>>(
        _ name: String, _ make: @escaping (PassthroughSubject<Int, Never>, _ count: Int) -> P
    ) -> Growth {
        Growth(name: "\(name) with subscribers that request by and by") { count in
            for isBackwards in [false, true] {
                let subject = PassthroughSubject<Int, Never>()
                let publisher = make(subject, count)
                let subscribers = (1...max(1, count)).map { _ in CountedSubscriber() }
                for subscriber in subscribers { publisher.subscribe(subscriber) }
                for (index, subscriber) in subscribers.enumerated() { subscriber.request(1 + index) }
                for value in 0..<3 { subject.send(value) }
                for subscriber in subscribers { subscriber.request(1) }
                for subscriber in isBackwards ? subscribers.reversed() : subscribers { subscriber.cancel() }
            }
        }
    }
}
