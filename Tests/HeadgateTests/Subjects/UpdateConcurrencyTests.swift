import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class UpdateConcurrencyTests: XCTestCase {
    private final class Meter: ObservableObject {
        @Published var level = 0
    }

    func test_losesNoChangeOfASubjectWhereSeveralThreadsMakeThem() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        onThreads(4) { _ in
            for _ in 0..<1000 { subject.update { $0 += 1 } }
        }
        XCTAssertEqual(subject.value, 4000)
        XCTAssertEqual(subscriber.values, Array(0...4000))
    }

    func test_losesNoChangeOfAPropertyWhereSeveralThreadsMakeThem() {
        nonisolated(unsafe) let meter = Meter()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        meter.$level.subscribe(subscriber)
        onThreads(4) { _ in
            for _ in 0..<1000 { meter.$level.update { $0 += 1 } }
        }
        XCTAssertEqual(meter.level, 4000)
        XCTAssertEqual(subscriber.values, Array(0...4000))
    }
}
