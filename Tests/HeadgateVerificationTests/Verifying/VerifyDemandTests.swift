import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

/// An operator that requests from upstream before anything is requested of it is found, in whichever way demand arrives.
final class VerifyDemandTests: XCTestCase {
    private let effort = Effort(depth: 2, systematicScripts: 40, randomScripts: 4)

    private func evidence(of report: Verification) -> Verification.Evidence? {
        report.broken.first { $0.breach.rule == .requestsOnlyForDemand }
    }

    func test_findsRequestsWithoutDemandHoweverTheDemandArrives() throws {
        let atOnce = verify(operator: { BadDemand.make(.pullsAtOnce, $0) }, .endsWithUpstream, effort: effort)
        XCTAssertEqual(atOnce.brokenRules, [.requestsOnlyForDemand], atOnce.description)
        XCTAssertEqual(evidence(of: atOnce)?.script, "subscribe")
        XCTAssertEqual(
            evidence(of: atOnce)?.breach.finding, "4 requested from upstream before anything was requested")

        let ahead = verify(operator: { BadDemand.make(.pullsAhead, $0) }, .endsWithUpstream, effort: effort)
        XCTAssertEqual(ahead.brokenRules, [.requestsOnlyForDemand], ahead.description)
        XCTAssertEqual(
            evidence(of: ahead)?.breach.finding,
            "1 requested from upstream after everything that was requested had arrived")
    }

    func test_findsWhatIsRequestedOnlyWhenDemandComesFromAnotherThread() {
        let report = verify(operator: { RequestsTwiceElsewhere(upstream: $0) }, .endsWithUpstream, effort: effort)
        XCTAssertEqual(evidence(of: report)?.script, "subscribe; on another thread: request 1", report.description)
    }

    func test_oneOfSeveralUpstreamsIsEnough() {
        let report = verify(
            joining: 2, { upstreams, _ in upstreams[0].merge(with: BadDemand.make(.pullsAtOnce, upstreams[1])) },
            [.endsWithUpstream, .merges], effort: effort)
        XCTAssertTrue(report.brokenRules.contains(.requestsOnlyForDemand), report.description)
    }

    func test_anOperatorThatForwardsDemandHoldsTheRule() {
        let report = verify(operator: { $0.map { $0 } }, [.endsWithUpstream, .transparent], effort: effort)
        XCTAssertEqual(report[.requestsOnlyForDemand], .held, report.description)
        let silent = verify(operator: { $0.prefix(0) }, .finite, effort: effort)
        XCTAssertEqual(
            silent[.requestsOnlyForDemand], .notCheckable("nothing was requested from upstream"), silent.description)
    }
}

/// Requests one value too many when it is called on another thread than the one that made it.
private struct RequestsTwiceElsewhere: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure

    let upstream: TestPublisher<Int, VerificationFailure>

    func receive(subscriber: some Subscriber<Int, VerificationFailure>) {
        upstream.subscribe(Stage(AnySubscriber(subscriber)))
    }

    private final class Stage: Subscriber, Subscription {
        typealias Input = Int
        typealias Failure = VerificationFailure

        private let downstream: ClosurePublisher.Visitor
        private var upstream: (any Subscription)?
        private let home = ObjectIdentifier(Thread.current)

        init(_ downstream: ClosurePublisher.Visitor) { self.downstream = downstream }

        func receive(subscription: any Subscription) {
            upstream = subscription
            downstream.receive(subscription: self)
        }

        func request(_ demand: Subscribers.Demand) {
            upstream?.request(demand)
            if ObjectIdentifier(Thread.current) != home { upstream?.request(.max(2)) }
        }

        func receive(_ input: Int) -> Subscribers.Demand { downstream.receive(input) }
        func receive(completion: Subscribers.Completion<VerificationFailure>) {
            downstream.receive(completion: completion)
        }
        func cancel() { upstream?.cancel() }
    }
}
