/// Why a test fails, and the place in the test that it is about.
///
/// With Swift Testing, one extension in the test target records the failures of the whole kit:
///
/// ```swift excerpt
/// extension ExpectationFailure {
///     func record() {
///         Issue.record(
///             Comment(rawValue: message),
///             sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
///     }
/// }
/// ```
///
/// Then write `subscriber.check("--1-2") { $0.record() }`, and likewise for the steps of a ``StepVerifier``, and for what
/// `verify` and `stress` of `HeadgateVerification` return.
public struct ExpectationFailure: Sendable {
    /// What was expected, and what happened.
    public let message: String

    let place: TestPlace

    package init(_ message: String, at place: TestPlace) {
        self.message = message
        self.place = place
    }

    /// The module and the name of the file, as in `ShopTests/CartTests.swift`.
    public var fileID: String { "\(place.fileID)" }

    /// The path of the file.
    public var filePath: String { "\(place.filePath)" }

    /// The line, counted from one.
    public var line: Int { Int(place.line) }

    /// The column, counted from one.
    public var column: Int { Int(place.column) }

    /// Passes the failure on as XCTest wants it.
    package func record(_ fail: (String, StaticString, UInt) -> Void) { fail(message, place.filePath, place.line) }
}

extension ExpectationFailure: CustomStringConvertible {
    /// The place and the message, as a compiler prints them.
    public var description: String { "\(filePath):\(line):\(column): \(message)" }
}

/// A place in a test.
package struct TestPlace: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    package init(_ fileID: StaticString, _ filePath: StaticString, _ line: UInt, _ column: UInt) {
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }
}
