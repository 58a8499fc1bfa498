import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import XCTest

final class AsyncConduitTests: XCTestCase {
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
