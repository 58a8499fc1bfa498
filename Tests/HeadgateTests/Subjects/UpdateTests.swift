import Headgate
import HeadgateTesting
import TestSupport
import XCTest

final class UpdateTests: XCTestCase {
    private final class Meter: ObservableObject {
        @Published var level = 1
        @Published var name: String?
    }

    func test_publishesWhatItMakesOfTheValueAndReturnsWhatTheClosureReturns() {
        let subject = CurrentValueSubject<[Int], Never>([1])
        let subscriber = TestSubscriber<[Int], Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        let count = subject.update {
            $0.append(2)
            return $0.count
        }
        XCTAssertEqual(count, 2)
        XCTAssertEqual(subscriber.values, [[1], [1, 2]])
        XCTAssertEqual(subject.value, [1, 2])
    }

    func test_changesNothingWhereTheClosureThrows() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        XCTAssertThrowsError(
            try subject.update { value in
                value = 2
                throw TestFailure.first
            })
        XCTAssertEqual(subject.value, 1)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_isRepeatedWhereTheValueChangesMeanwhile() {
        let subject = CurrentValueSubject<Int, Never>(1)
        var seen: [Int] = []
        subject.update { value in
            seen.append(value)
            if seen.count == 1 { subject.send(10) }
            value += 1
        }
        XCTAssertEqual(seen, [1, 10])
        XCTAssertEqual(subject.value, 11)
    }

    func test_changesTheValueAfterTheEndAndSendsItToNobody() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        subject.subscribe(subscriber)
        subject.send(completion: .finished)
        subject.update { $0 += 1 }
        XCTAssertEqual(subject.value, 2)
        XCTAssertEqual(subscriber.values, [1])
    }

    func test_changesAPropertyAndReportsItsObjectFirst() {
        let meter = Meter()
        var events: [String] = []
        let watches = [
            meter.objectWillChange.sink { events.append("change from \(meter.level)") },
            meter.$level.sink { events.append("level \($0), was \(meter.level)") },
        ]
        meter.$level.update { $0 *= 5 }
        XCTAssertEqual(meter.level, 5)
        XCTAssertEqual(events, ["level 1, was 1", "change from 1", "level 5, was 1"])
        meter.$name.update { $0 = "m" }
        meter.$name.update { $0 = nil }
        XCTAssertNil(meter.name)
        watches.forEach { $0.cancel() }
    }

    func test_beginsWithTheValueUnderWayInsideADelivery() {
        let meter = Meter()
        let watch = meter.$level.sink { if $0 == 2 { meter.$level.update { $0 += 10 } } }
        meter.level = 2
        XCTAssertEqual(meter.level, 12)
        watch.cancel()
    }
}
