import Dispatch
import Headgate

// One race in each function, where a stream calls a closure or hands a value over.

final class Shared { var count = 0 }

@MainActor final class Page {
    var title = ""
    var listener: AnyCancellable?

    func format(_ number: Int) -> String { "\(title) \(number)" }

    func methodAsAFunction(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.map(format).sink { _ in }
    }

    func methodInAClosure(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.map { self.format($0) }.sink { _ in }
    }

    func afterTheMainQueue(_ texts: PassthroughSubject<String, Never>) {
        listener = texts.receive(on: DispatchQueue.main).sink { self.title = $0 }
    }

    func weakly(_ texts: PassthroughSubject<String, Never>) {
        listener = texts.sink { [weak self] in self?.title = $0 }
    }

    func atTheEnd(_ texts: PassthroughSubject<String, Never>) {
        listener = texts.sink(receiveCompletion: { _ in self.title = "end" }, receiveValue: { _ in })
    }

    func insideFlatMap(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.flatMap { _ in Just(self.title) }.sink { _ in }
    }

    func insideFilter(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.filter { _ in self.title.isEmpty }.sink { _ in }
    }

    func insideTryMap(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.tryMap { _ in self.title }.replaceError(with: "").sink { _ in }
    }

    func insideDeferred() {
        listener = Deferred { Just(self.title) }.sink { _ in }
    }

    func cancelling(_ numbers: PassthroughSubject<Int, Never>) {
        listener = AnyCancellable { self.title = "cancelled" }
    }

    func observing(_ numbers: PassthroughSubject<Int, Never>) {
        listener = numbers.handleEvents(receiveOutput: { self.title = "\($0)" }).sink { _ in }
    }

    func onAScheduler() {
        DispatchQueue.global().schedule { self.title = "later" }
    }
}

func scanning(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    _ = numbers.scan(0) { sum, number in
        shared.count += 1
        return sum + number
    }
}

func reducing(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    _ = numbers.reduce(0) { sum, number in sum + number + shared.count }
}

func catching(_ numbers: PassthroughSubject<Int, any Error>, _ shared: Shared) {
    _ = numbers.catch { _ in Just(shared.count) }
}

func comparing(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    _ = numbers.removeDuplicates { $0 == $1 + shared.count }
}

func dropping(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    _ = numbers.drop { $0 < shared.count }
}

func multicasting(_ numbers: PassthroughSubject<Int, Never>) {
    var made = 0
    _ = numbers.multicast {
        made += 1
        return PassthroughSubject<Int, Never>()
    }
}

func subscribing(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    numbers.subscribe(
        AnySubscriber<Int, Never>(receiveValue: { _ in
            shared.count += 1
            return .none
        }))
}

func aKeyPathThatCaptures(_ lists: PassthroughSubject<[Shared: Int], Never>, _ shared: Shared) {
    _ = lists.map(\.[shared])
}

extension Shared: Hashable {
    static func == (left: Shared, right: Shared) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

func aFunctionOfAnother(_ numbers: PassthroughSubject<Int, Never>, _ use: @escaping (Int) -> Void) {
    _ = numbers.sink(receiveValue: use)
}

func aLocalFunction(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    func add(_ number: Int) { shared.count += number }
    _ = numbers.sink { add($0) }
}

func replacing(_ boxes: PassthroughSubject<Shared?, Never>, _ shared: Shared) {
    _ = boxes.replaceNil(with: shared)
}

func aCollectionThatHops(_ boxes: PassthroughSubject<[Shared], Never>) {
    _ = boxes.receive(on: DispatchQueue.main)
}

func anOptionalThatHops(_ boxes: PassthroughSubject<Shared?, Never>) {
    _ = boxes.delay(for: 1, scheduler: DispatchQueue.main)
}

func hoppingInAnExtension<P: Publisher>(_ values: P) {
    _ = values.receive(on: DispatchQueue.main)
}

// Of Headgate's own, which runs tasks: always refused.

func mappingInTasks(_ numbers: PassthroughSubject<Int, Never>, _ shared: Shared) {
    _ = numbers.asyncMap { number in number + shared.count }
}

func mappingValuesInTasks(_ boxes: PassthroughSubject<Shared, Never>) {
    _ = boxes.asyncMap { $0.count }
}

func forEachInTasks(_ numbers: PassthroughSubject<Int, Never>) async {
    var sum = 0
    await numbers.forEach(maxConcurrent: 2) { sum += $0 }
}

func producing(_ shared: Shared) {
    _ = Publishers.produce(Int.self) { emitter in _ = await emitter.send(shared.count) }
}

func deliveringOnAnActor(_ boxes: PassthroughSubject<Shared, Never>) {
    _ = boxes.receive(on: MainActor.shared)
}

func sinkingOnAnActor(_ boxes: PassthroughSubject<Shared, Never>) {
    _ = boxes.sink(on: MainActor.shared) { _, _ in }
}
