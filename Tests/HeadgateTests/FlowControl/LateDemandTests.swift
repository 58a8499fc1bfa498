import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// What buffers keep for a subscriber that requests late, from publishers whose later upstreams send on their own.
final class LateDemandTests: XCTestCase {
    private typealias Subject = PassthroughSubject<Int, Never>

    private func sources(_ subject: Subject) -> [(String, AnyPublisher<Int, Never>, before: [Int])] {
        [
            ("subject", subject.eraseToAnyPublisher(), []),
            ("flatMap", Just(subject).flatMap { $0 }.eraseToAnyPublisher(), []),
            ("switchToLatest", Just(subject).switchToLatest().eraseToAnyPublisher(), []),
            ("flatMapLatest", Just(0).flatMapLatest { _ in subject }.eraseToAnyPublisher(), []),
            (
                "flatMapSequential", Just(0).flatMapSequential(maxConcurrent: 1) { _ in subject }.eraseToAnyPublisher(),
                []
            ),
            ("append", Just(0).append(subject).eraseToAnyPublisher(), [0]),
            ("prepend", subject.prepend(0).eraseToAnyPublisher(), [0]),
            ("catch", Fail<Int, TestFailure>(error: .first).catch { _ in subject }.eraseToAnyPublisher(), []),
            ("switchIfEmpty", Empty<Int, Never>().switchIfEmpty(to: subject).eraseToAnyPublisher(), []),
            ("expand", Just(0).expand(limit: 4, whenFull: .skip) { _ in subject.prefix(2) }.eraseToAnyPublisher(), [0]),
            (
                "usingWhen",
                Publishers.usingWhen(
                    acquire: Just(0), publisher: { _ in subject }, release: { _, _ in Empty<Never, Never>() }
                ).eraseToAnyPublisher(), []
            ),
        ]
    }

    private func values(
        _ name: String, _ source: (Subject) -> AnyPublisher<Int, Never>?,
        _ buffer: (AnyPublisher<Int, Never>) -> AnyPublisher<Int, Never>
    ) -> [Int]? {
        let subject = Subject()
        guard let source = source(subject) else { return nil }
        let subscriber = TestSubscriber<Int, Never>.checked()
        buffer(source).subscribe(subscriber)
        subject.send(1)
        subscriber.request(.max(5))
        subject.send(2)
        defer { subscriber.cancel() }
        return subscriber.values
    }

    func test_aBufferKeepsWhatComesBeforeTheFirstRequest() {
        let buffers: [(String, (AnyPublisher<Int, Never>) -> AnyPublisher<Int, Never>)] = [
            ("buffer", { $0.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher() }),
            (
                "onBackpressureBuffer",
                { $0.onBackpressureBuffer(limit: 10, whenFull: .dropNewest).eraseToAnyPublisher() }
            ),
            (
                "map.buffer",
                { $0.map { $0 }.buffer(size: 10, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher() }
            ),
        ]
        for (name, buffer) in buffers {
            for (index, (source, _, before)) in sources(Subject()).enumerated() {
                XCTAssertEqual(
                    values(source, { self.sources($0)[index].1 }, buffer), before + [1, 2], "\(source).\(name)")
            }
        }
    }

    func test_timedOperatorsTakeWhatComesBeforeTheFirstRequest() {
        for (index, (source, _, before)) in sources(Subject()).enumerated() {
            let scheduler = TestScheduler()
            let subject = Subject()
            let groups = TestSubscriber<[Int], Never>.checked()
            sources(subject)[index].1.collect(.byTime(scheduler, .seconds(1))).subscribe(groups)
            subject.send(1)
            groups.request(.max(5))
            subject.send(2)
            scheduler.advance(by: .seconds(1))
            XCTAssertEqual(groups.values.flatMap { $0 }, before + [1, 2], source)
            groups.cancel()
        }
    }
}
