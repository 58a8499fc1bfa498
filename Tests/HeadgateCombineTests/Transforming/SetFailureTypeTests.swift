import HeadgateCombine
import TestSupport
import XCTest

final class SetFailureTypeTests: XCTestCase {
    func test_passesEverythingOnAsAStreamThatMightFail() {
        let recorder: Recorder<Int, TestFailure> = outcome(of: Values(1...2).setFailureType(to: TestFailure.self))
        XCTAssertEqual(
            recorder.events, [.subscription("1...2"), .value(1), .value(2), .completion(.finished)])
    }

    func test_passesDemandAndCancelOn() {
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(2))
        upstream.setFailureType(to: TestFailure.self).subscribe(recorder)
        recorder.cancel()
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .cancel])
    }

    func test_settingTheTypeTwiceIsSettingItOnce() {
        let twice: Publishers.SetFailureType<Values<ClosedRange<Int>>, any Error> =
            Values(1...2).setFailureType(to: TestFailure.self).setFailureType(to: (any Error).self)
        XCTAssertEqual(outcome(of: twice).values, [1, 2])
    }
}
