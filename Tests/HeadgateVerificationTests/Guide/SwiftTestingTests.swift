import Headgate
import HeadgateTesting
import HeadgateVerification
import Testing

extension Verification {
    func expectConforming(_ sourceLocation: SourceLocation = #_sourceLocation) {
        check { message, _, _ in Issue.record(Comment(rawValue: message), sourceLocation: sourceLocation) }
    }
}

/// The kit with Swift Testing, as `Documentation/TestYourOwnPublisher.md` describes.
struct SwiftTestingTests {
    @Test func countdownKeepsToTheContract() {
        verify(publisher: Countdown(start: 5), .finite).expectConforming()
    }

    @Test func blamesTheCaller() {
        withKnownIssue {
            verify(publisher: EagerCountdown(start: 5), .finite).expectConforming()
        } matching: { issue in
            issue.sourceLocation?.line == #line - 2 && issue.comments.first?.rawValue.contains("breaks rule") == true
        }
    }
}
