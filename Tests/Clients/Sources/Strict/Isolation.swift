import Dispatch
import Headgate

actor Account {
    private(set) var balance = 0

    private var connection: AnyCancellable?

    func follow(_ deposits: some Publisher<Int, Never> & Sendable) {
        connection = deposits.sink(isolation: #isolation) { self.balance += $0 }
    }

    func followFromOutside(_ deposits: AnyPublisher<Int, Never>) {
        connection = deposits.sink(on: self) { account, value in account.balance += value }
    }
}

@MainActor
final class Screen {
    private(set) var lines: [Int] = []

    func show(_ numbers: AnyPublisher<Int, Never>) async {
        for await number in numbers.values { lines.append(number) }
    }
}

extension Main {
    static func checkActor() async {
        let account = Account()
        let deposits = PassthroughSubject<Int, Never>()
        await account.follow(deposits)
        deposits.send(1)
        deposits.send(2)
        while await account.balance < 3 { await Task.yield() }

        let other = Account()
        await other.followFromOutside((1...4).publisher.eraseToAnyPublisher())
        while await other.balance < 10 { await Task.yield() }
    }

    static func checkMainActor() async {
        let screen = Screen()
        await screen.show((1...3).publisher.receive(on: DispatchQueue.global()).eraseToAnyPublisher())
        check("a class of the main actor", await screen.lines, [1, 2, 3])
        let account = Account()
        let onActors = (1...3).publisher.receive(on: account).map { _, number in number * 2 }
        let erased = onActors.receive(on: MainActor.shared).filter { $0 > 2 }.eraseToAnyPublisher()
        check("a stream on actors, erased", await erased.collect().firstValue ?? [], [4, 6])
    }

    static func checkTasks() async {
        let doubled = (1...3).publisher.asyncMap(maxConcurrent: 2) { value in value * 2 }
        check("asyncMap", await doubled.collected(upTo: 5), [2, 4, 6])
        let log = Log<Int>()
        await doubled.forEach { log.append($0) }
        check("forEach", log.values, [2, 4, 6])
    }

    static func checkHops() async {
        let queue = DispatchQueue(label: "hops")
        let stream = (1...3).publisher
            .subscribe(on: queue)
            .receive(on: queue)
            .delay(for: .milliseconds(1), scheduler: queue)
            .timeout(.seconds(60), scheduler: queue)
            .share()
        check("hops", await send(stream).collect().firstValue ?? [], [1, 2, 3])
    }
}
