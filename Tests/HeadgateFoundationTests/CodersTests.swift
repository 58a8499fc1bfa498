import Foundation
import HeadgateFoundation
import TestSupport
import XCTest

final class CodersTests: XCTestCase {
    private struct Reading: Codable, Equatable {
        var place: String
        var degrees: Double
    }

    private let reading = Reading(place: "roof", degrees: 21.5)

    func test_jsonThereAndBackAgain() {
        let recorder = Recorder<Reading, any Error>(demand: .unlimited)
        Just(reading).encode(encoder: JSONEncoder())
            .decode(type: Reading.self, decoder: JSONDecoder())
            .subscribe(recorder)
        XCTAssertEqual(recorder.values, [reading])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_propertyListsThereAndBackAgain() {
        let recorder = Recorder<Reading, any Error>(demand: .unlimited)
        Just(reading).encode(encoder: PropertyListEncoder())
            .decode(type: Reading.self, decoder: PropertyListDecoder())
            .subscribe(recorder)
        XCTAssertEqual(recorder.values, [reading])
        XCTAssertTrue(recorder.hasFinished)
    }

    func test_failsWhereTheDataAreNoJSON() {
        let recorder = Recorder<Reading, any Error>(demand: .unlimited)
        Just(Data("{".utf8)).decode(type: Reading.self, decoder: JSONDecoder()).subscribe(recorder)
        XCTAssertEqual(recorder.values, [])
        XCTAssertTrue(recorder.failure is DecodingError)
    }
}
