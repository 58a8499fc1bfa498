import Headgate
import TestSupport
import XCTest

final class UpdateConcurrencyTests: XCTestCase {
    private final class Meter: ObservableObject {
        @Published var level = 0
    }

    func test_losesNoChangeOfASubjectWhereSeveralThreadsMakeThem() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        subject.subscribe(recorder)
        onThreads(4) { _ in
            for _ in 0..<1000 { subject.update { $0 += 1 } }
        }
        XCTAssertEqual(subject.value, 4000)
        XCTAssertEqual(recorder.values, Array(0...4000))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_losesNoChangeOfAPropertyWhereSeveralThreadsMakeThem() {
        nonisolated(unsafe) let meter = Meter()
        let recorder = Recorder<Int, Never>(demand: .unlimited)
        meter.$level.subscribe(recorder)
        onThreads(4) { _ in
            for _ in 0..<1000 { meter.$level.update { $0 += 1 } }
        }
        XCTAssertEqual(meter.level, 4000)
        XCTAssertEqual(recorder.values, Array(0...4000))
    }
}
