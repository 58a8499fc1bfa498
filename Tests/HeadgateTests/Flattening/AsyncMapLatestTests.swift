import Headgate
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

final class AsyncMapLatestTests: XCTestCase {
    /// How many closures run, and how many have at most run at a time.
    private final class Load: Sendable {
        let now = Atomic(0)
        let most = Atomic(0)

        func begin() { most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }

        func end() { now.subtract(1, ordering: .relaxed) }
    }

    func test_publishesTheResultOfTheMostRecentValue() async {
        let results = await (1...3).publisher.asyncMapLatest { $0 * 10 }.collected(upTo: .max)
        XCTAssertEqual(results.last, 30)
    }

    func test_fails() async throws {
        let result = try? await [1].publisher.setFailureType(to: TestFailure.self)
            .asyncMapLatest { _ throws(TestFailure) -> Int in throw .first }.lastValue
        XCTAssertNil(result as Any?)
    }

    func test_aClosureWaitsForTheEndOfTheOneThatItCancels() async {
        for waits in [true, false] {
            let load = Load()
            let subject = PassthroughSubject<Int, Never>()
            let begun = Atomic(0)
            let done = expectation(description: "the last result")
            let reading = subject.asyncMapLatest(waitsForCancelled: waits) { value in
                load.begin()
                begun.add(1, ordering: .relaxed)
                // Goes on for a while after its cancellation.
                for _ in 1...50 { await Task.yield() }
                if !waits, value < 3 { while begun.load(ordering: .relaxed) < 3 { await Task.yield() } }
                load.end()
                return value
            }
            .sink { if $0 == 3 { done.fulfill() } }
            for value in 1...3 {
                subject.send(value)
                while begun.load(ordering: .relaxed) < (waits ? 1 : value) { await Task.yield() }
            }
            await fulfillment(of: [done], timeout: 20)
            if waits { XCTAssertEqual(load.most.load(ordering: .relaxed), 1) }
            reading.cancel()
        }
    }
}
