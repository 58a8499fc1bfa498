import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class AsyncThrowingPublisherTests: XCTestCase {
    private let upstream = TestPublisher<Int, TestFailure>()

    func test_handsOverTheValuesAndThenThrowsTheFailureOnce() async throws {
        var iterator = upstream.values.makeAsyncIterator()
        upstream.send(1)
        upstream.send(2)
        upstream.send(completion: .failure(.first))
        let values = [try await iterator.next(), try await iterator.next()]
        XCTAssertEqual(values, [1, 2])
        do {
            _ = try await iterator.next()
            XCTFail("the failure was not thrown")
        } catch {
            XCTAssertEqual(error as? TestFailure, .first)
        }
        let end = try await iterator.next()
        XCTAssertNil(end)
    }

    func test_endsWhenThePublisherFinishes() async throws {
        let upstream = TestPublisher<Int, TestFailure> { upstream, _ in
            upstream.send(1)
            upstream.finish()
        }
        var values: [Int] = []
        for try await value in upstream.values { values.append(value) }
        XCTAssertEqual(values, [1])
        XCTAssertEqual(upstream.calls, [.request(.max(65_536))])
    }

    func test_bounded_requestsAhead() async throws {
        var iterator = upstream.values(buffering: .bounded(2)).makeAsyncIterator()
        upstream.send(1)
        let value = try await iterator.next()
        XCTAssertEqual(value, 1)
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(1))])
    }

    func test_cancelsWhenTheLoopIsLeftByAnError() async {
        let upstream = TestPublisher<Int, TestFailure> { upstream, _ in upstream.send(1) }
        do {
            for try await _ in upstream.values { throw TestFailure.second }
            XCTFail("the error was swallowed")
        } catch {
            XCTAssertEqual(error as? TestFailure, .second)
        }
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_endsWithoutAnErrorWhenTheTaskIsCancelled() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for try await _ in PassthroughSubject<Int, TestFailure>().values { count += 1 }
            return count
        }
        let count = try await task.value
        XCTAssertEqual(count, 0)
    }
}
