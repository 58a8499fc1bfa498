import Headgate
import HeadgateTesting
import HeadgateVerification
import Testing

extension ExpectationFailure {
    func record() {
        Issue.record(
            Comment(rawValue: message),
            sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
}

/// The kit with Swift Testing, as `Documentation/TestYourOwnPublisher.md` describes.
struct SwiftTestingTests {
    @Test func countdownKeepsToTheContract() {
        verify(publisher: Countdown(start: 5), .finite).check { $0.record() }
    }

    @Test func countdownIsThreadSafe() {
        stress(publisher: SharedCountdown(start: 40), .finite).check { $0.record() }
    }

    @Test func countdownCountsDown() {
        let subscriber = TestSubscriber<Int, Never>(.first(2))
        Countdown(start: 3).subscribe(subscriber)
        subscriber.check("--3-2", demand: "^2---") { $0.record() }

        StepVerifier(Countdown(start: 3))
            .request(2)
            .expect(3, 2)
            .expectNothing()
            .cancel()
            .verify { $0.record() }
    }
}

/// Each form blames the place in the test that is wrong, with its column.
struct SwiftTestingPlaceTests {
    private func expectIssue(
        _ text: String, line: Int, column: Int, test: () async -> Void
    ) async {
        await withKnownIssue {
            await test()
        } matching: { issue in
            guard let place = issue.sourceLocation else { return false }
            return place.fileID == #fileID && place.line == line && place.column == column
                && issue.comments.first?.rawValue.contains(text) == true
        }
    }

    @Test func verificationsBlameTheCaller() async {
        let report = verify(publisher: EagerCountdown(start: 5), .finite)
        await expectIssue("breaks rule 1.2", line: #line + 1, column: 26) {
            report.check { failure in if failure.message.contains(" 1.2 ") { failure.record() } }
        }
    }

    @Test func comparisonsBlameTheCaller() async {
        let subscriber = TestSubscriber<Int, Never>(.first(2))
        Countdown(start: 3).subscribe(subscriber)
        await expectIssue("--3-1", line: #line + 1, column: 29) {
            subscriber.check("--3-1", demand: "^2---") { $0.record() }
        }
    }

    @Test func stepsBlameTheStep() async {
        await expectIssue("step 2", line: #line + 3, column: 24) {
            StepVerifier(Countdown(start: 3))
                .request(2)
                .expect(3, 1)
                .verify { $0.record() }
        }
        await expectIssue("not expected: 2", line: #line + 5, column: 25) {
            await StepVerifier(Countdown(start: 3))
                .request(2)
                .expect(3)
                .cancel()
                .verify { $0.record() }
        }
    }

    @Test func xctestIsToldTheSame() {
        let subscriber = TestSubscriber<Int, Never>(.first(2))
        Countdown(start: 3).subscribe(subscriber)
        var places: [(String, UInt)] = []
        subscriber.check("--3-1", demand: "^2---") { places.append(("\($1)", $2)) }
        #expect(places.map(\.0) == [#filePath])
        #expect(places.map(\.1) == [#line - 2])
    }
}
