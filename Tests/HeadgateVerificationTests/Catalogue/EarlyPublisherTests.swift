import Headgate
import HeadgateTesting
import XCTest

@testable import HeadgateConformance

/// A publisher that begins to talk before it has introduced itself, and ends twice.
private struct EarlyPublisher: Publisher {
    typealias Output = Int
    typealias Failure = VerificationFailure

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        _ = subscriber.receive(1)
        subscriber.receive(subscription: Subscriptions.empty)
        _ = subscriber.receive(2)
        subscriber.receive(completion: .finished)
        subscriber.receive(completion: .failure(.upstreamFailed))
    }
}

final class EarlyPublisherTests: XCTestCase {
    func test_aPublisherThatSendsBeforeTheSubscriptionNeitherStopsTheProgramNorEndsAStreamTwice() {
        for (name, operation) in Candidate.operations {
            var endings = 0
            let sink = operation.apply(EarlyPublisher().eraseToAnyPublisher(), TestScheduler())
                .sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in })
            XCTAssertLessThanOrEqual(endings, 1, name)
            sink.cancel()
            XCTAssertLessThanOrEqual(endings, 1, name)
        }
    }
}
