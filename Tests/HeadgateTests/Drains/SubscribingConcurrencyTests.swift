import Headgate
import HeadgateCore
import Synchronization
import TestSupport
import XCTest

/// A publisher may be subscribed to on several threads at once, also when its type is erased.
final class SubscribingConcurrencyTests: XCTestCase {
    private typealias Values = AnyPublisher<Int, Never>

    /// One of each shape: steps, folds, what joins, keeps, shares, tries again, and schedules.
    private static let publishers: [(name: String, expected: [Int], publisher: Values)] = [
        ("sequence", [1, 2, 3], source),
        ("map, filter", [2, 6], source.map { $0 * 2 }.filter { $0 != 4 }.eraseToAnyPublisher()),
        ("scan", [1, 3, 6], source.scan(0) { $0 + $1 }.eraseToAnyPublisher()),
        ("collect", [3], source.collect().map(\.count).eraseToAnyPublisher()),
        ("merge", [1, 2, 3, 1, 2, 3], source.merge(with: source).eraseToAnyPublisher()),
        ("zip", [2, 4, 6], source.zip(source) { $0 + $1 }.eraseToAnyPublisher()),
        ("flatMap", [1, 1, 2, 2, 3, 3], source.flatMap { [$0, $0].publisher }.eraseToAnyPublisher()),
        ("append", [1, 2, 3, 4], source.append(4).eraseToAnyPublisher()),
        (
            "buffer", [1, 2, 3],
            source.buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher()
        ),
        ("retry", [1, 2, 3], source.retry(2).eraseToAnyPublisher()),
        ("deferred", [1, 2, 3], Deferred { source }.eraseToAnyPublisher()),
        ("receive(on:)", [1, 2, 3], source.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()),
        ("shareReplay", [1, 2, 3], source.shareReplay(capacity: 3).eraseToAnyPublisher()),
        ("share(replay:)", [1, 2, 3], source.share(replay: 3).eraseToAnyPublisher()),
    ]

    private static var source: Values { [1, 2, 3].publisher.eraseToAnyPublisher() }

    func test_anErasedPublisherIsSubscribedToOnSeveralThreads() {
        for (name, expected, publisher) in Self.publishers {
            let finished = Atomic(0)
            onThreads(4) { _ in
                for _ in 0..<50 {
                    let received = Guarded<[Int]>([])
                    let stream = publisher.sink(
                        receiveCompletion: { _ in finished.add(1, ordering: .relaxed) },
                        receiveValue: { value in received.withLock { $0.append(value) } })
                    withExtendedLifetime(stream) {}
                    let values = received.withLock { $0 }
                    // What is shared completes on the thread that runs it.
                    if name != "shareReplay", name != "share(replay:)" { XCTAssertEqual(values, expected, name) }
                }
            }
            if name != "shareReplay", name != "share(replay:)" {
                XCTAssertEqual(finished.load(ordering: .relaxed), 200, name)
            }
        }
    }

    func test_anErasedPublisherGoesToTasks() async {
        for (name, expected, publisher) in Self.publishers {
            await withTaskGroup(of: [Int].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var values: [Int] = []
                        for await value in publisher.values { values.append(value) }
                        return values
                    }
                }
                for await values in group { XCTAssertEqual(values, expected, name) }
            }
        }
    }
}
