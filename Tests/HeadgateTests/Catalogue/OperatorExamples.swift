import Headgate
import HeadgateTesting
import XCTest

/// The examples of `Documentation/Operators.md`, in their order, and what they print.
///
/// Each is the text of the page as it stands: `OperatorsPageTests` compares.
enum OperatorExamples {
    nonisolated(unsafe) private static var lines: [String] = []

    /// What an example prints.
    static func output(of example: () -> Void) -> [String] {
        lines = []
        example()
        return lines
    }

    private static func print(_ items: Any...) {
        lines += items.map { "\($0)" }.joined(separator: " ").split(separator: "\n").map(String.init)
    }

    nonisolated(unsafe) static let all: [() -> Void] = [
        {
            let pages = Publishers.unfold(1) { page -> Int? in
                defer { page *= 2 }
                return page < 10 ? page : nil
            }
            let reading = pages.sink { print("page", $0) }
            withExtendedLifetime((reading)) {}
        },
        {
            let checked = ["3", "x", "5"].publisher
                .compactMap { Int($0) }
                .scan(0, +)
                .enumerated()
                .sink { print($0.index, $0.element) }
            withExtendedLifetime((checked)) {}
        },
        {
            let answers = ["a", "b"].publisher
                .flatMapSequential(maxConcurrent: 2) { letter in (1...2).publisher.map { "\(letter)\($0)" } }
                .sink { print($0) }
            withExtendedLifetime((answers)) {}
        },
        {
            let halves = Just(12)
                .expand(.depthFirst, limit: 10, whenFull: .skip) { $0 > 3 ? [$0 / 2, $0 / 3].publisher : [].publisher }
                .collect()
                .sink { print($0) }
            withExtendedLifetime((halves)) {}
        },
        {
            let table = ["name;age", "Ada;36", "Alan;41"].publisher
                .switchOnFirst { header, lines in
                    lines.dropFirst().map { line in
                        zip(header.split(separator: ";"), line.split(separator: ";")).map { "\($0)=\($1)" }
                    }
                }
                .sink { print($0.joined(separator: ", ")) }
            withExtendedLifetime((table)) {}
        },
        {
            let clicks = PassthroughSubject<Void, Never>()
            let text = CurrentValueSubject<String, Never>("draft")
            let saving = clicks.withLatestFrom(text).sink { print("saved", $0) }
            clicks.send()
            text.send("final")
            clicks.send()
            withExtendedLifetime((saving)) {}
        },
        {
            let words = ["ape", "bee", "ant", "bug", "asp"].publisher
                .groupBy(limit: 26, whenFull: .finishIdlest) { $0.prefix(1) }
                .flatMap { group in group.collect().map { "\(group.key): \($0.joined(separator: " "))" } }
                .collect()
                .sink { print($0.sorted().joined(separator: "; ")) }
            withExtendedLifetime((words)) {}
        },
        {
            let rows = (1...7).publisher.batch(count: 3).sink { print($0) }
            withExtendedLifetime((rows)) {}
        },
        {
            let sensor = PassthroughSubject<Int, Never>()
            let slow = TestSubscriber<Int, Never>(.first(1))
            sensor
                .onBackpressureBuffer(limit: 2, whenFull: .dropOldest, onDrop: { print("dropped", $0) })
                .subscribe(slow)
            (1...5).forEach { sensor.send($0) }
            slow.request(.max(2))
            print(slow.values)
        },
        {
            let time = TestScheduler()
            let calls = TestSubscriber<Int, Never>(.unlimited, clock: time)
            (1...4).publisher.rateLimit(2, per: .seconds(1), scheduler: time).subscribe(calls)
            time.advance(by: .seconds(2))
            for call in calls.timedValues { print(call.time, call.value) }
        },
        {
            struct Refused: Error {}
            let clock = TestScheduler()
            var attempts = 0
            let service = Deferred { () -> AnyPublisher<String, Refused> in
                attempts += 1
                print("attempt", attempts, "at", clock.now)
                return attempts < 3
                    ? Fail(error: Refused()).eraseToAnyPublisher()
                    : Just("answer").setFailureType(to: Refused.self).eraseToAnyPublisher()
            }
            let call =
                service
                .retry(.exponential(initial: .seconds(1), jitter: .none, retries: 5), scheduler: clock)
                .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
            clock.advance(by: .seconds(10))
            withExtendedLifetime((call)) {}
        },
        {
            let metrics = StreamMetrics("numbers")
            let pipeline = PassthroughSubject<Int, Never>()
                .tap(metrics.entrance)
                .prefetch(4)
                .tap(metrics)
                .map { $0 * 2 }
            let listener = pipeline.sink { _ in }
            print(pipeline.describe())
            withExtendedLifetime((listener)) {}
        },
        {
            let shared = (1...2).publisher.broadcast(to: 2, limit: 16)
            let first = shared.sink { print("first", $0) }
            let second = shared.sink { print("second", $0) }
            withExtendedLifetime((first, second)) {}
        },
    ]
}
