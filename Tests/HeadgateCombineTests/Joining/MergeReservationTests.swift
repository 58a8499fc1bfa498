import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// What `merge` and `flatMap` do with values that come while another is being delivered, under finite demand.
final class MergeReservationTests: XCTestCase {
    func test_valuesThatASinkCausesAreNotLostWhileDemandIsLeft() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(100)) { _, value in
            if value == 100 { (1...5).forEach(a.send) }
            return .none
        }
        a.merge(with: b).subscribe(subscriber)
        b.send(100)
        XCTAssertEqual(subscriber.values, [100, 1, 2, 3, 4, 5])
    }

    func test_noMoreIsDeliveredThanRequested() {
        let a = PassthroughSubject<Int, Never>()
        let b = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(3)) { _, value in
            if value == 100 { (1...5).forEach(a.send) }
            return .none
        }
        a.merge(with: b).subscribe(subscriber)
        b.send(100)
        XCTAssertEqual(subscriber.values, [100, 1, 2])
        subscriber.request(2)
        XCTAssertEqual(subscriber.values, [100, 1, 2], "what follows finds no demand")
        (6...9).forEach(a.send)
        XCTAssertEqual(subscriber.values, [100, 1, 2, 6, 7])
    }

    func test_aMemberAfterOneThatAnswersForEverIsRequestedFrom() {
        let subject = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(requesting: .max(1)) { subscriber, value in
            // Every value of the endless source makes the subject send one; both are answered with new demand.
            if value >= 0, subscriber.values.count < 1000 { subject.send(-1) }
            return subscriber.values.count < 1000 ? .max(1) : .none
        }
        (0...).publisher.merge(with: subject).subscribe(subscriber)
        XCTAssertGreaterThan(subscriber.values.count { $0 == -1 }, 300)
    }

    func test_aZipDeliversARowBeforeItReadsFurther() {
        var read: [Int] = []
        var received: [String] = []
        let lines = sequence(state: 0) { state -> Int? in
            state += 1
            read.append(state)
            return state <= 3 ? state : nil
        }
        let sink = (1...).publisher.zip(lines.publisher).sink { received.append("\($0.1) of \(read.count) read") }
        XCTAssertEqual(received, ["1 of 1 read", "2 of 2 read", "3 of 3 read"])
        sink.cancel()
    }

    func test_aSequenceIsReadExactlyAsFarAsRequested() {
        for requested in 0...3 {
            var read = 0
            let lines = AnyIterator { () -> Int? in
                read += 1
                return read
            }
            let subscriber = TestSubscriber<Int, Never>.checked(requesting: requested == 0 ? .none : .max(requested))
            IteratorSequence(lines).publisher.subscribe(subscriber)
            XCTAssertEqual(read, requested)
            XCTAssertEqual(subscriber.values.count, requested)
        }
    }
}
