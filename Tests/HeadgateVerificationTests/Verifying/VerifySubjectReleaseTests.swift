import Headgate
import HeadgateTesting
import HeadgateVerification
import XCTest

final class VerifySubjectReleaseTests: XCTestCase {
    private final class Watched {
        weak var subject: PassthroughSubject<Int, VerificationFailure>?
        init(_ subject: PassthroughSubject<Int, VerificationFailure>) { self.subject = subject }
    }

    func test_raisesNoAlarmAboutASubjectThatSomebodyElseHolds() {
        var held: [PassthroughSubject<Int, VerificationFailure>] = []
        func make() -> PassthroughSubject<Int, VerificationFailure> {
            held.append(PassthroughSubject())
            return held[held.count - 1]
        }
        verify(subject: make()).check { XCTFail($0, file: $1, line: $2) }
    }

    func test_leavesFewOfTheSubjectsThatItMakesSubscribedTo() {
        var watched: [Watched] = []
        func make() -> PassthroughSubject<Int, VerificationFailure> {
            let subject = PassthroughSubject<Int, VerificationFailure>()
            watched.append(Watched(subject))
            return subject
        }
        verify(subject: make()).check { XCTFail($0, file: $1, line: $2) }
        // A probe that doesn't cancel leaves one each.
        XCTAssertGreaterThan(watched.count, 100)
        XCTAssertLessThan(watched.filter { $0.subject != nil }.count, 20)
    }
}
