import Foundation
import Headgate
import HeadgateTesting

/// Runs of the operators that a reader plays with on their pages, for comparison with the model in `Documentation/Book/models.js`.
///
/// A browser can't run them. What the model has to do is what these have done in virtual time, a second per column, over random inputs:
/// values and triggers at random columns, several of which may be the same, and lengths of time that often end when a value arrives.
struct PlayedOperators {
    static let operators = ["debounce", "throttle", "sample", "batch", "window"]

    /// What goes in, and the lengths of time and counts that the operator is given.
    struct Case {
        var name: String
        var values: [Int]
        var end: Int
        var triggers: [Int]
        var time: Int
        var count: Int
        var latest: Bool
    }

    static func json(count: Int = 120) throws -> Data {
        var generator = SeededGenerator(seed: 1)
        let runs = operators.flatMap { name in
            (0..<count).map { _ -> [String: Any] in
                let input = random(name, using: &generator)
                let output = output(of: input).map { [$0.column, $0.text] as [Any] }
                return [
                    "operator": name, "values": input.values, "end": input.end, "triggers": input.triggers,
                    "time": input.time,
                    "count": input.count, "latest": input.latest, "output": output,
                ]
            }
        }
        return try JSONSerialization.data(withJSONObject: runs, options: .sortedKeys)
    }

    private static func random(_ name: String, using generator: inout SeededGenerator) -> Case {
        let end = Int.random(in: 1...40, using: &generator)
        func columns(_ most: Int, _ generator: inout SeededGenerator) -> [Int] {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in Int.random(in: 1...end, using: &generator) }
                .sorted()
        }
        return Case(
            name: name, values: columns(9, &generator), end: end, triggers: columns(6, &generator),
            time: Int.random(in: 1...9, using: &generator), count: Int.random(in: 1...4, using: &generator),
            latest: Bool.random(using: &generator))
    }

    /// What the operator publishes, and a bar for the completion.
    ///
    /// Values are numbered from 1 on.
    static func output(of input: Case) -> [(column: Int, text: String)] {
        let scheduler = TestScheduler()
        let source = PassthroughSubject<Int, Never>()
        let trigger = PassthroughSubject<Void, Never>()
        let start = scheduler.now
        // Before any job of the operator, so that what arrives when a time ends arrives before that.
        for (index, column) in input.values.enumerated() {
            scheduler.schedule(after: start.advanced(by: .seconds(column))) { source.send(index + 1) }
        }
        scheduler.schedule(after: start.advanced(by: .seconds(input.end))) { source.send(completion: .finished) }
        for column in input.triggers {
            scheduler.schedule(after: start.advanced(by: .seconds(column))) { trigger.send() }
        }
        let subscriber = TestSubscriber<String, Never>(.unlimited, clock: scheduler)
        stream(input, source: source, trigger: trigger, scheduler: scheduler).append("|").subscribe(subscriber)
        var seconds = 0
        var found: [(column: Int, text: String)] = []
        while seconds <= 60 {
            let before = subscriber.values.count
            scheduler.advance(to: start.advanced(by: .seconds(seconds)))
            found += subscriber.values[before...].map { (seconds, $0) }
            seconds += 1
        }
        return found
    }

    private static func stream(
        _ input: Case, source: PassthroughSubject<Int, Never>, trigger: PassthroughSubject<Void, Never>,
        scheduler: TestScheduler
    ) -> AnyPublisher<String, Never> {
        let time = TestTime.Stride.seconds(input.time)
        return switch input.name {
        case "debounce": source.debounce(for: time, scheduler: scheduler).map { "\($0)" }.eraseToAnyPublisher()
        case "throttle":
            source.throttle(for: time, scheduler: scheduler, latest: input.latest).map { "\($0)" }.eraseToAnyPublisher()
        case "sample": source.sample(on: trigger).map { "\($0)" }.eraseToAnyPublisher()
        case "batch":
            source.batch(count: input.count, within: time, scheduler: scheduler)
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
