import Foundation
import Headgate

struct EagerCountdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Subscriptions.empty)
        for number in (1...start).reversed() { _ = subscriber.receive(number) }
        subscriber.receive(completion: .finished)
    }
}

struct NestingCountdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Inner(start: start, downstream: subscriber))
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
        private var next: Int
        private var downstream: S?

        init(start: Int, downstream: S) {
            next = start
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            var demand = demand
            while demand > .none, next > 0, let downstream {
                demand -= 1
                next -= 1
                _ = downstream.receive(next + 1)
            }
            if next == 0 { downstream?.receive(completion: .finished) }
        }

        func cancel() { downstream = nil }
    }
}

struct AddingCountdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Inner(start: start, downstream: subscriber))
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
        private var next: Int
        private var downstream: S?
        private var outstanding = Subscribers.Demand.none
        private var isServing = false

        init(start: Int, downstream: S) {
            next = start
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            outstanding += demand
            if isServing { return }
            isServing = true
            while outstanding > .none, next > 0, let downstream {
                outstanding -= 1
                next -= 1
                outstanding += downstream.receive(next + 1)
            }
            isServing = false
            if next == 0 { downstream?.receive(completion: .finished) }
        }

        func cancel() { downstream = nil }
    }
}

struct Countdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Inner(start: start, downstream: subscriber))
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
        private var next: Int
        private var downstream: S?
        private var outstanding = Subscribers.Demand.none
        private var isServing = false

        init(start: Int, downstream: S) {
            next = start
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            outstanding += demand
            if isServing { return }
            isServing = true
            while outstanding > .none, next > 0, let downstream {
                outstanding -= 1
                next -= 1
                outstanding += downstream.receive(next + 1)
            }
            isServing = false
            if next == 0 { downstream.take()?.receive(completion: .finished) }
        }

        func cancel() { downstream = nil }
    }
}

struct SharedCountdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let start: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Inner(start: start, downstream: subscriber))
    }

    private final class Inner<S: Subscriber>: Subscription where S.Input == Int, S.Failure == Never {
        private let lock = NSLock()
        private var next: Int
        private var downstream: S?
        private var outstanding = Subscribers.Demand.none
        private var isServing = false

        init(start: Int, downstream: S) {
            next = start
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            let isMine = lock.withLock {
                outstanding += demand
                defer { isServing = true }
                return !isServing
            }
            guard isMine else { return }
            while let (value, downstream) = take() {
                let more = downstream.receive(value)
                lock.withLock { outstanding += more }
            }
            lock.withLock { next == 0 ? downstream.take() : nil }?.receive(completion: .finished)
        }

        private func take() -> (Int, S)? {
            lock.withLock {
                guard outstanding > .none, next > 0, let downstream else {
                    // Under the same lock, so that no demand arrives in between and is never served.
                    isServing = false
                    return nil
                }
                outstanding -= 1
                next -= 1
                return (next + 1, downstream)
            }
        }

        func cancel() {
            // Released outside the lock, because its deinit may be foreign code.
            _ = lock.withLock { downstream.take() }
        }
    }
}

func countdown(from start: Int) -> some Publisher<Int, Never> {
    Publishers.unfold(start) { left -> Int? in
        defer { left -= 1 }
        return left > 0 ? left : nil
    }
}
