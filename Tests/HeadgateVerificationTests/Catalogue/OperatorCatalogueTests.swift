import Headgate
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

@testable import HeadgateConformance

/// What the verifier does not ask of an operator, asked of every operator of the catalogue.
final class OperatorCatalogueTests: XCTestCase {
    private typealias Upstream = TestPublisher<Int, VerificationFailure>
    private typealias Downstream = TestSubscriber<String, VerificationFailure>

    private var transparent: [(name: String, operation: Candidate.Operation)] {
        Candidate.catalogue.flatMap(\.members).filter { $0.capabilities.contains(.transparent) }
            .compactMap { candidate in candidate.operation.map { (candidate.name, $0) } }
    }

    private func connect(
        _ operation: Candidate.Operation, _ script: DemandScript = .none
    ) -> (upstream: Upstream, downstream: Downstream, scheduler: TestScheduler) {
        let upstream = Upstream()
        let downstream = Downstream(script, misbehavior: .retainsSubscription)
        let scheduler = TestScheduler()
        operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
        scheduler.runDue()
        return (upstream, downstream, scheduler)
    }

    func test_aLongStreamRequestedOneByOneIsFlatOnBothEdges_4_2() {
        for (name, operation) in Candidate.operations {
            let above = StackDepth()
            let below = StackDepth()
            let numbers = (0..<1000).publisher.setFailureType(to: VerificationFailure.self)
                .map { number in
                    above.note()
                    return number
                }
            let downstream = Downstream(.oneByOneReentrantly) { _, _ in below.note() }
            let scheduler = TestScheduler()
            operation.apply(numbers.eraseToAnyPublisher(), scheduler).subscribe(downstream)
            scheduler.runUntilIdle()
            XCTAssertLessThan(above.spread, 32768, name)
            XCTAssertLessThan(below.spread, 32768, name)
            XCTAssertEqual(downstream.breaches, [], name)
        }
    }

    func test_aTransparentOperatorCancelsUpstreamOnce_5_1() {
        XCTAssertGreaterThan(transparent.count, 15)
        for (name, operation) in transparent {
            let (upstream, downstream, _) = connect(operation, .first(1))
            downstream.cancel()
            XCTAssertEqual(upstream.cancelCount, 1, name)
        }
    }

    func test_aTransparentOperatorLeavesASecondSubscriptionToItsDownstream_6_1() {
        for (name, operation) in transparent {
            let upstream = Upstream()
            let sink = operation.apply(upstream.eraseToAnyPublisher(), TestScheduler())
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
            XCTAssertEqual(upstream.sendSubscription().map(\.cancelCount), [1], name)
            XCTAssertTrue(upstream.isConnected, name)
            sink.cancel()
        }
    }

    func test_releasesItsSubscriberThoughWorkWaits_5_3() {
        for (name, operation) in Candidate.operations where operation.needsScheduler {
            for isCancelled in [true, false] {
                let scheduler = TestScheduler()
                let upstream = Upstream()
                weak var weakDownstream: Downstream?
                do {
                    let downstream = Downstream(.first(2), misbehavior: .retainsSubscription)
                    weakDownstream = downstream
                    operation.apply(upstream.eraseToAnyPublisher(), scheduler).subscribe(downstream)
                    scheduler.runDue()
                    if !upstream.isConnected { scheduler.advance(by: .seconds(2)) }
                    upstream.send(1)
                    if isCancelled {
                        downstream.cancel()
                    } else {
                        // As often as it makes another attempt.
                        for _ in 0..<8 where downstream.completion == nil {
                            upstream.fail(.upstreamFailed)
                            scheduler.advance(by: .seconds(2))
                        }
                        XCTAssertNotNil(downstream.completion, name)
                    }
                    scheduler.runDue()
                }
                XCTAssertNil(weakDownstream, "\(name), \(isCancelled ? "cancelled" : "failed")")
            }
        }
    }
}
