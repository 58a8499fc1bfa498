import Combine
import Dispatch
import Foundation

// Code of the kinds of which ported packages consist: it compiles in both language modes, and what the compiler warns of is recorded.

/// A subject of one's own, a class that is not Sendable.
public final class Latest<Output, Failure: Error>: Subject {
    private let inner = PassthroughSubject<Output, Failure>()
    public private(set) var last: Output?

    public init() {}

    public func send(_ value: Output) {
        last = value
        inner.send(value)
    }

    public func send(completion: Subscribers.Completion<Failure>) { inner.send(completion: completion) }

    public func send(subscription: any Subscription) { inner.send(subscription: subscription) }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        inner.receive(subscriber: subscriber)
    }
}

/// A scheduler of one's own, which collects what is to be run.
public final class Manual: Scheduler {
    public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
    public typealias SchedulerOptions = Never

    private var jobs: [() -> Void] = []

    public init() {}

    public var now: SchedulerTimeType { DispatchQueue.main.now }

    public var minimumTolerance: SchedulerTimeType.Stride { .zero }

    public func schedule(options: Never?, _ action: @escaping () -> Void) { jobs.append(action) }

    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) {
        jobs.append(action)
    }

    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: Never?, _ action: @escaping () -> Void
    ) -> any Cancellable {
        jobs.append(action)
        return AnyCancellable { [weak self] in self?.jobs.removeAll() }
    }

    public func run() {
        let due = jobs
        jobs = []
        due.forEach { $0() }
    }
}

/// A publisher that is a class, with a subscription of its own.
public final class Countdown: Publisher {
    public typealias Output = Int
    public typealias Failure = Never

    var start: Int

    public init(from start: Int) { self.start = start }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Counting(subscriber, start))
    }

    private final class Counting<Downstream: Subscriber<Int, Never>>: Subscription {
        var downstream: Downstream?
        var next: Int

        init(_ downstream: Downstream, _ next: Int) {
            self.downstream = downstream
            self.next = next
        }

        func request(_ demand: Subscribers.Demand) {
            var demand = demand
            while demand > 0, next > 0, let downstream {
                demand -= 1
                next -= 1
                demand += downstream.receive(next + 1)
            }
            if next == 0 {
                downstream?.receive(completion: .finished)
                downstream = nil
            }
        }

        func cancel() { downstream = nil }
    }
}

extension Publisher {
    /// An operator that captures `self` and a function, and erases.
    public func doubled(by combine: @escaping (Output, Output) -> Output) -> AnyPublisher<Output, Failure> {
        map { combine($0, $0) }.eraseToAnyPublisher()
    }

    /// An operator that keeps its state in a variable.
    public func numbered() -> AnyPublisher<(Int, Output), Failure> {
        Deferred { () -> AnyPublisher<(Int, Output), Failure> in
            var number = 0
            return self.map { value in
                number += 1
                return (number, value)
            }.eraseToAnyPublisher()
        }.eraseToAnyPublisher()
    }

    /// An operator that passes its closures on.
    public func inspected(
        onValue: ((Output) -> Void)? = nil, onEnd: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        handleEvents(receiveOutput: onValue, receiveCompletion: onEnd)
    }

    /// An operator that hops.
    public func onQueue(_ queue: DispatchQueue) -> AnyPublisher<Output, Failure> {
        receive(on: queue).eraseToAnyPublisher()
    }

    /// An operator with a key path.
    public func picking<Part>(_ path: KeyPath<Output, Part>) -> AnyPublisher<Part, Failure> {
        map(path).eraseToAnyPublisher()
    }

    /// A sink that writes into an object of any type.
    public func write<Root: AnyObject>(
        to path: ReferenceWritableKeyPath<Root, Output>, of root: Root
    ) -> AnyCancellable where Failure == Never {
        sink { [weak root] in root?[keyPath: path] = $0 }
    }

    /// An operator with a subject of one's own.
    public func latest() -> AnyPublisher<Output, Failure> {
        multicast(subject: Latest()).autoconnect().eraseToAnyPublisher()
    }
}

public final class Box {
    public var number = 0
}

/// What an application does with all of that.
public final class Store {
    public var total = 0
    public var log: [String] = []
    private var bag = Set<AnyCancellable>()

    public init() {}

    public func follow(_ numbers: AnyPublisher<Int, Never>, on scheduler: Manual) {
        numbers
            .numbered()
            .map { "\($0.0): \($0.1)" }
            .sink { self.log.append($0) }
            .store(in: &bag)
        numbers.map(abs).filter(isEven).sink { [weak self] in self?.total += $0 }.store(in: &bag)
        numbers.receive(on: scheduler).map(describe).sink { self.log.append($0) }.store(in: &bag)
        numbers.picking(\.description).sink { self.log.append($0) }.store(in: &bag)
        let box = Box()
        numbers.write(to: \.number, of: box).store(in: &bag)
        numbers.assign(to: \.number, on: box).store(in: &bag)
        numbers.doubled(by: +).sink { _ in box.number += 1 }.store(in: &bag)
    }

    private func describe(_ number: Int) -> String { "number \(number)" }

    private func isEven(_ number: Int) -> Bool { number.isMultiple(of: 2) }
}

/// Boxes, which are not Sendable, on one thread.
public func numbers(of boxes: PassthroughSubject<Box, Never>) -> AnyPublisher<Int, Never> {
    boxes.map(\.number).eraseToAnyPublisher()
}
