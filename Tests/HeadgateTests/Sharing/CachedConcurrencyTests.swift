import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class CachedConcurrencyTests: XCTestCase {
    /// The last subscriber cancels while another one subscribes: what is kept is one run, whole.
    func test_aRunThatIsCancelledWhileAnotherBeginsLeavesNoTraceInIt() {
        let scheduler = TestScheduler()
        for _ in 0..<Scale.reduced(4_000) {
            let runs = Atomic(0)
            let upstream = Deferred { () -> AnyPublisher<Int, Never> in
                let isFirst = runs.add(1, ordering: .relaxed).newValue == 1
                return isFirst
                    ? Just(0).append(Empty(completeImmediately: false)).eraseToAnyPublisher()
                    : (1...100).publisher.eraseToAnyPublisher()
            }
            let cached = upstream.cached(for: .seconds(60), limit: 200, scheduler: scheduler)
            let first = cached.sink { _ in }
            let second = TestSubscriber<Int, Never>(.unlimited)
            onThreads(2) { number in
                if number == 0 { first.cancel() } else { cached.subscribe(second) }
            }
            if !second.hasFinished { second.cancel() }
            let third = TestSubscriber<Int, Never>.checked(.unlimited)
            cached.subscribe(third)
            XCTAssertEqual(third.values, Array(1...100))
            XCTAssertTrue(third.hasFinished)
        }
    }
}
