import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import XCTest

/// A source that is said to answer demand at once, and answers as the test says.
private final class AnsweringSource: ConduitSubscription {
    var requested = 0
    var answer: () -> Void = {}

    init() {
        super.init { subscription, signal in
            guard let source = subscription as? AnsweringSource, case .request(let demand) = signal else { return }
            source.requested += demand.max ?? 0
            source.answer()
        }
    }

    override var traits: SubscriptionTraits { .answersDemandAtOnce }
}

final class AsyncConduitTests: XCTestCase {
    private func next(of conduit: AsyncConduit<Int, Never>) -> Int? {
        if case .value(let value) = conduit.poll() { value } else { nil }
    }

    func test_aSourceThatAnswersLateIsRequestedOneByOne() {
        let source = AnsweringSource()
        let conduit = AsyncConduit<Int, Never>(.lossless)
        conduit.receive(subscription: source)
        XCTAssertEqual(source.requested, 0)
        for _ in 0..<2 { XCTAssertNil(next(of: conduit)) }
        XCTAssertEqual(source.requested, 1)
        _ = conduit.receive(7)
        XCTAssertEqual(next(of: conduit), 7)
        XCTAssertNil(next(of: conduit))
        XCTAssertEqual(source.requested, 2)
        conduit.cancel()
    }

    func test_aSourceThatAnswersWithTwoValuesLosesNone() {
        let source = AnsweringSource()
        let conduit = AsyncConduit<Int, Never>(.lossless)
        conduit.receive(subscription: source)
        source.answer = { [unowned source] in
            for value in 1...2 { _ = conduit.receive(source.requested * 10 + value) }
        }
        XCTAssertEqual([next(of: conduit), next(of: conduit), next(of: conduit)], [11, 12, 21])
        XCTAssertEqual(source.requested, 2)
        source.answer = {}
        conduit.cancel()
    }

    func test_aSourceThatIsCancelledWhileItAnswersIsReleased() {
        weak var released: AnsweringSource?
        let conduit = AsyncConduit<Int, Never>(.lossless)
        do {
            let source = AnsweringSource()
            released = source
            conduit.receive(subscription: source)
            source.answer = {
                _ = conduit.receive(1)
                conduit.cancel()
            }
        }
        XCTAssertEqual(next(of: conduit), 1)
        XCTAssertNil(released)
        XCTAssertNil(next(of: conduit))
    }

    private func values(of conduit: AsyncConduit<Int, Never>) -> Int {
        var count = 0
        while case .value = conduit.poll() { count += 1 }
        return count
    }

    func test_aSourceThatFillsTheWindowWhenItIsRequestedIsNotSaidToLoseValues() {
        let conduit = AsyncConduit<Int, Never>(.lossless)
        conduit.subscribe(to: (0..<200_000).publisher.flatMap { Just($0) })
        XCTAssertEqual(conduit.state.withLock { $0.buffer.count }, 65_536)
        XCTAssertEqual(values(of: conduit), 200_000)
        XCTAssertFalse(conduit.state.withLock { $0.hasWarned })
    }

    func test_aSourceThatFillsTheWindowByItselfIs() {
        let conduit = AsyncConduit<Int, Never>(.lossless)
        let subject = PassthroughSubject<Int, Never>()
        conduit.subscribe(to: subject)
        for value in 0..<65_535 { subject.send(value) }
        XCTAssertFalse(conduit.state.withLock { $0.hasWarned })
        for value in 0..<2 { subject.send(value) }
        XCTAssertTrue(conduit.state.withLock { $0.hasWarned })
        XCTAssertEqual(values(of: conduit), 65_536)
    }
}
