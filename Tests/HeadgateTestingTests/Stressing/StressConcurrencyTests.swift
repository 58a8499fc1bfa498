import Headgate
import HeadgateTesting
import XCTest

/// Threads meet in what is right, and nothing comes of it.
final class StressConcurrencyTests: XCTestCase {
    private func assertConforming(_ report: Verification, file: StaticString = #filePath, line: UInt = #line) {
        report.check(file: file, line: line) { XCTFail($0, file: $1, line: $2) }
    }

    func test_publishersStandThreads() {
        assertConforming(stress(publisher: (1...40).publisher, .finite))
        assertConforming(stress(publisher: (1...).publisher, .unbounded))
        assertConforming(stress(publisher: Just(1), .finite))
        assertConforming(stress(publisher: Always(1), .unbounded))
        assertConforming(stress(publisher: TestPublisher<Int, VerificationFailure>(serving: Array(1...40)), .finite))
    }

    func test_operatorsStandThreads() {
        assertConforming(stress(operator: { $0.map { $0 * 10 } }, .transparent))
        assertConforming(stress(operator: { $0.filter { $0.isMultiple(of: 2) } }, .transparent))
        assertConforming(stress(operator: { $0.prefix(7) }))
        assertConforming(
            stress(operator: {
                $0.flatMap(maxPublishers: .max(1)) { [$0, -$0].publisher.setFailureType(to: VerificationFailure.self) }
            }))
    }

    func test_operatorsWithASchedulerStandThreads() {
        assertConforming(stress(operator: { $0.receive(on: $1) }))
        assertConforming(stress(operator: { $0.subscribe(on: $1) }))
        assertConforming(stress(operator: { $0.delay(for: .seconds(1), scheduler: $1) }))
    }

    func test_joiningOperatorsStandThreads() {
        assertConforming(stress(joining: 2) { upstreams, _ in upstreams[0].zip(upstreams[1]) })
        assertConforming(stress(joining: 2, { upstreams, _ in upstreams[0].merge(with: upstreams[1]) }, .merges))
        assertConforming(
            stress(joining: 2, { upstreams, _ in upstreams[0].combineLatest(upstreams[1]) }, .dropsUnasked))
        assertConforming(stress(joining: 2) { upstreams, _ in upstreams[0].append(upstreams[1]) })
    }

    func test_subjectsStandThreads() {
        assertConforming(stress(subject: PassthroughSubject<Int, VerificationFailure>()))
        assertConforming(stress(subject: CurrentValueSubject<Int, VerificationFailure>(0)))
    }
}
