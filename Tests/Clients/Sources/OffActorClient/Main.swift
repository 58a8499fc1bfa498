import Dispatch
import Headgate

actor Counter {
    var count = 0, unsafeCount = 0
    var listeners: Set<AnyCancellable> = []

    func followUnsafely(_ numbers: some Publisher<Int, Never>) {
        let add: (Int) -> Void = { self.unsafeCount += $0 }
        numbers.sink(receiveValue: add).store(in: &listeners)
    }

    func followSafely(_ numbers: some Publisher<Int, Never>) {
        numbers.sink(on: self) { counter, number in counter.count += number }.store(in: &listeners)
        numbers.sink(isolation: #isolation) { self.count += $0 }.store(in: &listeners)
        numbers.receive(on: self).sink { counter, number in counter.count += number }.store(in: &listeners)
    }
}

@MainActor final class Log {
    var lines: [String] = [], unsafeLines: [String] = []
    var listeners: Set<AnyCancellable> = []

    func followUnsafely(_ numbers: some Publisher<Int, Never>) {
        let append: (String) -> Void = { self.unsafeLines.append($0) }
        numbers.map { "number \($0)" }.sink(receiveValue: append).store(in: &listeners)
    }

    func followSafely(_ numbers: some Publisher<Int, Never>) {
        numbers.sink(isolation: #isolation) { self.lines.append("\($0)") }.store(in: &listeners)
        numbers.receive(on: MainActor.shared).sink { @MainActor in self.lines.append("\($0)") }.store(in: &listeners)
    }
}

@main
enum OffActorClient {
    static func main() async {
        let numbers = PassthroughSubject<Int, Never>()
        let counter = Counter()
        let log = Log()
        await counter.followSafely(numbers)
        log.followSafely(numbers)
        await counter.followUnsafely(numbers)
        log.followUnsafely(numbers)
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                for number in 1...3 { numbers.send(number) }
                done.resume()
            }
        }
        while await counter.count < 3 * 6 { await Task.yield() }
        while log.lines.count < 2 * 3 { await Task.yield() }
    }
}
