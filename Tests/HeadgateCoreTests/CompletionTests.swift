import Foundation
import HeadgateCore
import XCTest

final class CompletionTests: XCTestCase {
    private enum Failure: String, Error, Codable {
        case first
        case second
    }

    private typealias Completion = Subscribers.Completion<Failure>

    private let all: [Completion] = [.finished, .failure(.first), .failure(.second)]

    func test_isEqualToTheSameEndOnly() {
        for (leftIndex, left) in all.enumerated() {
            for (rightIndex, right) in all.enumerated() { XCTAssertEqual(left == right, leftIndex == rightIndex) }
        }
    }

    func test_hashesLikeItsEqual() {
        XCTAssertEqual(Set(all + all).count, 3)
        XCTAssertEqual(Completion.failure(.first).hashValue, Completion.failure(.first).hashValue)
    }

    func test_isReadBackAsItWasWritten() throws {
        let data = try JSONEncoder().encode(all)
        XCTAssertEqual(try JSONDecoder().decode([Completion].self, from: data), all)
    }

    func test_isWrittenAsSuccessAndError() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let texts = try all.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        XCTAssertEqual(
            texts,
            [
                #"{"success":true}"#, #"{"error":"first","success":false}"#, #"{"error":"second","success":false}"#,
            ])
    }

    func test_isNotReadWithoutTheErrorOfAFailure() {
        let data = Data(#"{"success":false}"#.utf8)
        XCTAssertThrowsError(try JSONDecoder().decode(Completion.self, from: data))
    }
}
