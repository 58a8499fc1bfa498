import Combine

// An actor's state in a closure that a stream calls, which runs wherever the stream delivers.

actor Account {
    var balance = 0

    func follow(_ deposits: PassthroughSubject<Int, Never>) -> AnyCancellable {
        deposits.sink { self.balance += $0 }
    }
}

@MainActor
final class Screen {
    var lines: [Int] = []
    var title = ""

    func follow(_ numbers: PassthroughSubject<Int, Never>) -> AnyCancellable {
        numbers.sink { self.lines.append($0) }
    }

    func map(_ numbers: PassthroughSubject<Int, Never>) -> AnyCancellable {
        numbers.map { "\(self.title) \($0)" }.sink { _ in }
    }
}
