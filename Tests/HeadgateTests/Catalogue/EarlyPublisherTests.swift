import Headgate
import TestSupport
import XCTest

/// A publisher that begins to talk before it has introduced itself, and ends twice.
private struct EarlyPublisher: Publisher {
    typealias Output = Int
    typealias Failure = TestFailure

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        _ = subscriber.receive(1)
        subscriber.receive(subscription: Subscriptions.empty)
        _ = subscriber.receive(2)
        subscriber.receive(completion: .finished)
        subscriber.receive(completion: .failure(.first))
    }
}

final class EarlyPublisherTests: XCTestCase {
    func test_aPublisherThatSendsBeforeTheSubscriptionNeitherStopsTheProgramNorEndsAStreamTwice() {
        for catalogued in Catalogue.operators {
            var endings = 0
            let sink = catalogued.apply(EarlyPublisher().eraseToAnyPublisher())
                .sink(receiveCompletion: { _ in endings += 1 }, receiveValue: { _ in })
            XCTAssertLessThanOrEqual(endings, 1, catalogued.name)
            sink.cancel()
            XCTAssertLessThanOrEqual(endings, 1, catalogued.name)
        }
    }
}
