import Foundation
import Headgate
import HeadgateTesting

/// A run of an operator that a reader plays with on its page, for comparison with the model in `Documentation/Book/models.js`.
///
/// A browser can't run them. What the model has to do is what this has done in virtual time, a second per column, over random inputs:
/// values and triggers at random columns, several of which may be the same, and lengths of time that often end when a value arrives.
struct PlayedOperator: Encodable {
    let `operator`: String
    let values: [Int]
    let end: Int
    let triggers: [Int]
    let time: Int
    let count: Int
    let latest: Bool

    /// What the operator publishes, behind the columns, and a bar for the completion; values are numbered from 1 on.
    private var output: [[String]] = []

    static func json() throws -> Data {
        var generator = SeededGenerator(seed: 1)
        let operators = ["debounce", "throttle", "sample", "batch", "window"]
        let runs = operators.flatMap { name in (0..<120).map { _ in PlayedOperator(name, using: &generator) } }
        return try JSONEncoder().encode(runs)
    }

    private init(_ name: String, using generator: inout SeededGenerator) {
        let end = Int.random(in: 1...40, using: &generator)
        func columns(_ most: Int) -> [Int] {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in Int.random(in: 1...end, using: &generator) }
                .sorted()
        }
        self.operator = name
        self.end = end
        values = columns(9)
        triggers = columns(6)
        time = Int.random(in: 1...9, using: &generator)
        count = Int.random(in: 1...4, using: &generator)
        latest = Bool.random(using: &generator)
        run()
    }

    private mutating func run() {
        let scheduler = TestScheduler()
        let source = PassthroughSubject<Int, Never>()
        let trigger = PassthroughSubject<Void, Never>()
        let start = scheduler.now
        func at(_ column: Int, _ action: @escaping @Sendable () -> Void) {
            scheduler.schedule(after: start.advanced(by: .seconds(column)), action)
        }
        // Before any job of the operator, so that what arrives when a time ends arrives before that.
        for (index, column) in values.enumerated() { at(column) { source.send(index + 1) } }
        at(end) { source.send(completion: .finished) }
        for column in triggers { at(column) { trigger.send() } }
        let subscriber = TestSubscriber<String, Never>(.unlimited, clock: scheduler)
        stream(of: source, trigger: trigger, scheduler: scheduler).append("|").subscribe(subscriber)
        scheduler.advance(by: .seconds(60))
        output = subscriber.timedValues.map { time, value in
            ["\(start.distance(to: time).magnitude / 1_000_000_000)", value]
        }
    }

    private func stream(
        of source: PassthroughSubject<Int, Never>, trigger: PassthroughSubject<Void, Never>, scheduler: TestScheduler
    ) -> AnyPublisher<String, Never> {
        let time = TestTime.Stride.seconds(time)
        return switch self.operator {
        case "debounce": source.debounce(for: time, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher()
        case "throttle":
            source.throttle(for: time, scheduler: scheduler, latest: latest).map { "\($0)" }.eraseToAnyPublisher()
        case "sample": source.sample(on: trigger).map { "\($0)" }.eraseToAnyPublisher()
        case "batch":
            source.batch(count: count, within: time, scheduler: scheduler)
                .map { "[" + $0.map(String.init).joined(separator: ",") + "]" }.eraseToAnyPublisher()
        default:
            // The values of a window follow its number, and so does its end.
            source.window(within: time, scheduler: scheduler, unread: .hold).enumerated()
                .flatMap { window in
                    window.element.map { "\(window.index):\($0)" }.append("\(window.index):|")
                }.eraseToAnyPublisher()
        }
    }
}
