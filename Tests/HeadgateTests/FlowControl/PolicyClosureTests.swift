import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Closures of policies that cancel the stream which they are asked about, or end its upstream.
final class PolicyClosureTests: XCTestCase {
    private typealias Hand = TestPublisher<Int, TestFailure>

    /// Has a closure of an operator cancel the subscriber, and then goes on sending.
    private func cancelInside<P: Publisher>(
        _ name: String, _ make: (Hand, @escaping () -> Void) -> P
    ) {
        let upstream = Hand()
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked(.first(2))
        make(upstream, { subscriber.cancel() }).subscribe(subscriber)
        for number in 1...6 { upstream.send(number) }
        upstream.fail(.first)
        XCTAssertEqual(upstream.cancelCount, 1, name)
        XCTAssertNil(subscriber.completion, name)
    }

    func test_closuresMayCancelTheStream() {
        cancelInside("onBackpressureDrop") { upstream, cancel in upstream.onBackpressureDrop { _ in cancel() } }
        cancelInside("onBackpressureBuffer") { upstream, cancel in
            upstream.onBackpressureBuffer(
                limit: 1,
                whenFull: .customError {
                    cancel()
                    return .second
                })
        }
        cancelInside("flatMapFirst") { upstream, cancel in
            upstream.flatMapFirst(onDrop: { _ in cancel() }) { _ in Hand() }
        }
        cancelInside("conflate") { upstream, cancel in
            upstream.conflate(into: { [$0] }) { all, value in
                cancel()
                all.append(value)
            }
        }
        cancelInside("expand") { upstream, cancel in
            upstream.expand(.depthFirst, limit: 1, whenFull: .skip, onSkip: { _ in cancel() }) { _ in
                [7].publisher.setFailureType(to: TestFailure.self)
            }
        }
        cancelInside("switchOnFirst") { upstream, cancel in
            upstream.switchOnFirst { _, all in
                cancel()
                return all
            }
        }
        cancelInside("rateLimit") { upstream, cancel in
            upstream.rateLimit(
                9, per: .seconds(1),
                cost: { _ in
                    cancel()
                    return 1
                }, scheduler: ImmediateScheduler.shared)
        }
        cancelInside("batch") { upstream, cancel in
            upstream.batch(
                count: 2,
                weight: { _ in
                    cancel()
                    return 1
                })
        }
    }

    func test_closuresOfGroupsMayCancelTheStream() {
        cancelInside("groupBy(onDrop:)") { upstream, cancel in
            upstream.groupBy(limit: 1, whenFull: .drop, onDrop: { _ in cancel() }) { $0 }
        }
        cancelInside("groupBy(.fail)") { upstream, cancel in
            upstream.groupBy(
                limit: 1,
                whenFull: .fail {
                    cancel()
                    return .second
                }
            ) { $0 }
        }
        cancelInside("partition") { upstream, cancel in
            upstream.partition { _ in
                cancel()
                return true
            }.matches
        }
    }

    func test_theFilterOfARetryMayCancel() {
        let upstream = Hand()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.unlimited)
        upstream.retry(
            .immediate(retries: 3), scheduler: ImmediateScheduler.shared,
            where: { _ in
                subscriber.cancel()
                return true
            }
        )
        .subscribe(subscriber)
        upstream.fail(.first)
        XCTAssertEqual(upstream.subscriptionCount, 1)
        XCTAssertNil(subscriber.completion)
    }
}
