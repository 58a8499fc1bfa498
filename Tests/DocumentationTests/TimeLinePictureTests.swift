import HeadgateTesting
import XCTest

@testable import documentation

final class TimeLinePictureTests: XCTestCase {
    private func count(_ part: String, in text: String) -> Int { text.components(separatedBy: part).count - 1 }

    private func count(ofKind kind: String, in picture: String) -> Int { count("class=\"\(kind)\"", in: picture) }

    func test_everySignHasAShape() {
        let picture = TimeLine(values: "--1-2-3-|", demand: "^2--^*--!", subscription: "[-------]").svg()
        XCTAssertEqual(count("<circle", in: picture), 3)
        XCTAssertEqual(count(ofKind: "value", in: picture), 3)
        XCTAssertEqual(count(ofKind: "finish", in: picture), 1)
        XCTAssertEqual(count(ofKind: "failure", in: picture), 0)
        XCTAssertEqual(count(ofKind: "request", in: picture), 2)
        XCTAssertEqual(count(ofKind: "cancel", in: picture), 1)
        XCTAssertEqual(count(ofKind: "begin", in: picture), 1)
        XCTAssertEqual(count(ofKind: "end", in: picture), 1)
        // A row each, with its name.
        XCTAssertEqual(count(ofKind: "time", in: picture), 3)
        XCTAssertEqual(count("<text", in: picture), 3 + 3 + 2)
        XCTAssertTrue(picture.contains(">∞</text>"))
    }

    func test_aFailureIsACross() {
        let picture = TimeLine(values: "1-x").svg()
        XCTAssertEqual(count(ofKind: "failure", in: picture), 1)
        XCTAssertEqual(count(ofKind: "finish", in: picture), 0)
    }

    func test_aPictureIsOneElementAndNeedsNothingElse() {
        let picture = TimeLine(values: "1-(23)-x", demand: "^*---!").svg()
        XCTAssertTrue(picture.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        XCTAssertTrue(picture.hasSuffix("</svg>"))
        for part in ["<style", "href", "url(", " id=", "@"] { XCTAssertEqual(count(part, in: picture), 0, part) }
        XCTAssertEqual(count("http", in: picture), 1)
    }

    func test_rowsThatAreNotUsedAreNotDrawn() {
        let picture = TimeLine(values: "1-|").svg()
        XCTAssertEqual(count(ofKind: "time", in: picture), 1)
        XCTAssertFalse(picture.contains("demand"))
        XCTAssertFalse(picture.contains("subscription"))
    }

    func test_labelsAreEscaped() {
        var line = TimeLine()
        line.append(.value("<&>\"\u{1}"), to: .values, at: 0)
        let picture = line.svg()
        XCTAssertTrue(picture.contains(">&lt;&amp;&gt;&quot;\u{FFFD}</text>"))
        XCTAssertFalse(picture.contains("<&"))
        XCTAssertFalse(picture.contains("\u{1}"))
    }

    func test_aRowWithoutAnEndGoesOn() {
        XCTAssertTrue(TimeLine(values: "1--").svg().contains("m-6 -5l6 5l-6 5"))
        XCTAssertFalse(TimeLine(values: "1-|").svg().contains("m-6 -5l6 5l-6 5"))
    }

    func test_whatHappensAtOneMomentIsStacked() {
        let picture = TimeLine(values: "(12)").svg()
        let circles = picture.split(separator: "\n").filter { $0.hasPrefix("<circle") }.map { attributes(of: $0) }
        XCTAssertEqual(circles.map { $0["cx"] }, [circles[0]["cx"], circles[0]["cx"]])
        XCTAssertNotEqual(circles[0]["cy"], circles[1]["cy"])
        XCTAssertGreaterThan(
            height(of: picture), height(of: TimeLine(values: "1-2").svg()), "a stack needs a higher row")
    }

    func test_aLongLabelIsACapsuleAndMovesWhatFollows() throws {
        let picture = TimeLine(values: "a_very_long_one|").svg()
        XCTAssertEqual(count("<circle", in: picture), 0)
        let capsule = try XCTUnwrap(picture.split(separator: "\n").first { $0.hasPrefix("<rect class=\"value\"") })
        let sizes = attributes(of: capsule)
        let right = try XCTUnwrap(Int(sizes["x"] ?? "")) + XCTUnwrap(Int(sizes["width"] ?? ""))
        let bar = try XCTUnwrap(picture.split(separator: "\n").first { $0.contains("class=\"finish\"") })
        let place = try XCTUnwrap(attributes(of: bar)["d"]?.dropFirst().split(separator: " ").first)
        XCTAssertGreaterThan(try XCTUnwrap(Int(place)), right)
    }

    func test_theSameTimeLineMakesTheSamePicture() {
        let line = TimeLine(values: "1-2-(34)-|", demand: "^1--^*", subscription: "[------]")
        XCTAssertEqual(line.svg(), line.svg())
    }

    func test_theGuideShowsWhatItSays() throws {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let shown = try String(
            contentsOf: repository.appendingPathComponent("Documentation/time-line.svg"), encoding: .utf8)
        XCTAssertEqual(shown, TimeLine(values: "--1-2-(34)-|", demand: "^2--^*").svg() + "\n")
    }

    private func height(of picture: String) -> Int { Int(attributes(of: picture[...])["height"] ?? "") ?? 0 }

    /// The attributes of the first element.
    private func attributes(of element: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        let pieces = element.prefix { $0 != ">" }.split(separator: "\"", omittingEmptySubsequences: false)
        for index in stride(from: 0, to: pieces.count - 1, by: 2) {
            let name = pieces[index].split { $0 == " " || $0 == "=" }.last ?? ""
            attributes[String(name)] = attributes[String(name)] ?? String(pieces[index + 1])
        }
        return attributes
    }
}
