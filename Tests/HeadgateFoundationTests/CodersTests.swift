import Foundation
import HeadgateFoundation
import HeadgateTesting
import TestSupport
import XCTest

final class CodersTests: XCTestCase {
    private struct Reading: Codable, Equatable {
        var place: String
        var degrees: Double
    }

    private let reading = Reading(place: "roof", degrees: 21.5)

    func test_jsonThereAndBackAgain() {
        let subscriber = TestSubscriber<Reading, any Error>.checked(.unlimited)
        Just(reading).encode(encoder: JSONEncoder())
            .decode(type: Reading.self, decoder: JSONDecoder())
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [reading])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_propertyListsThereAndBackAgain() {
        let subscriber = TestSubscriber<Reading, any Error>.checked(.unlimited)
        Just(reading).encode(encoder: PropertyListEncoder())
            .decode(type: Reading.self, decoder: PropertyListDecoder())
            .subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [reading])
        XCTAssertTrue(subscriber.hasFinished)
    }

    func test_failsWhereTheDataAreNoJSON() {
        let subscriber = TestSubscriber<Reading, any Error>.checked(.unlimited)
        Just(Data("{".utf8)).decode(type: Reading.self, decoder: JSONDecoder()).subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [])
        XCTAssertTrue(subscriber.failure is DecodingError)
    }
}
