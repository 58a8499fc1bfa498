import Combine
import Headgate
import Ported

extension Main {
    /// What a module that has been ported hands over, used by one whose warnings are errors.
    static func checkPorted() {
        let log = Log<Int>()
        let latest = Latest<Int, Never>()
        let numbers = latest.doubled(by: +)
        let listener = numbers.map { $0 + 1 }.sink { log.append($0) }
        latest.send(1)
        latest.send(2)
        listener.cancel()
        check("operators and subjects of another module", log.values, [3, 5])

        let store = Store()
        let scheduler = Manual()
        store.follow(Ported.Countdown(from: 3).eraseToAnyPublisher(), on: scheduler)
        scheduler.run()
        check("an object of another module", store.total, 2)
    }
}
