import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

/// A zip whose sides are of different kinds, some of which are read and some of which send by themselves.
final class ZipSidesTests: XCTestCase {
    func test_makesTheRowsOfTheModelWhateverTheSidesAre() {
        for first in Kind.allCases {
            for second in Kind.allCases {
                for third in Kind.allCases { play([first, second, third]) }
            }
        }
    }

    func test_keepsTheOrderWhereAReadSideSendsMoreThanWasRequested() {
        for repeats in 2...4 {
            for position in 0...1 {
                let repeating = Repeating(upstream: (1...3).publisher, repeats: repeats)
                let subscriber = TestSubscriber<[Int], Never>.checked()
                let numbers = (1...100).publisher
                if position == 0 {
                    repeating.zip(numbers) { [$0, $1] }.subscribe(subscriber)
                } else {
                    numbers.zip(repeating) { [$1, $0] }.subscribe(subscriber)
                }
                for _ in 0..<20 { subscriber.request(1) }
                let expected = (0..<3 * repeats).map { [($0 / repeats + 1) * 10 + $0 % repeats, $0 + 1] }
                XCTAssertEqual(subscriber.values, expected, "\(repeats), \(position)")
                XCTAssertTrue(subscriber.hasFinished, "\(repeats), \(position)")
            }
        }
    }

    func test_keepsTheOrderWhereTheOtherSideIsAheadOfASideThatSendsMoreThanWasRequested() {
        for repeats in 2...4 {
            let ahead = TestPublisher<Int, Never>()
            let subscriber = TestSubscriber<[Int], Never>.checked()
            Repeating(upstream: (1...3).publisher, repeats: repeats).zip(ahead) { [$0, $1] }.subscribe(subscriber)
            for value in 1...20 { ahead.force(value) }
            for _ in 0..<20 { subscriber.request(1) }
            let expected = (0..<3 * repeats).map { [($0 / repeats + 1) * 10 + $0 % repeats, $0 + 1] }
            XCTAssertEqual(subscriber.values, expected, "\(repeats)")
        }
    }

    func test_readsNoFurtherThanTheRowsThatWereRequested() {
        for answer in [Subscribers.Demand.none, .max(1)] {
            var read = [0, 0]
            let sides = (0...1).map { index in
                IteratorSequence(
                    AnyIterator { () -> Int? in
                        read[index] += 1
                        return read[index]
                    })
            }
            // Demand that is returned for every second row.
            let subscriber = TestSubscriber<Int, Never>.checked(requesting: .none) { _, row in
                row.isMultiple(of: 4) ? answer : .none
            }
            sides[0].publisher.zip(sides[1].publisher) { $0 + $1 }.subscribe(subscriber)
            for demand in [1, 1, 2, 3, 1] {
                subscriber.request(demand)
                XCTAssertEqual(read, [subscriber.values.count, subscriber.values.count], "\(answer)")
            }
            XCTAssertEqual(subscriber.values.count, answer == .none ? 8 : 15)
            subscriber.cancel()
        }
    }

    func test_cancelInsideAnIteratorReadsNothingFurther() {
        for position in 0...2 {
            for demand in [Subscribers.Demand.unlimited, .max(1)] {
                let before = Tracked.count
                var read = [0, 0, 0]
                let subscriber = TestSubscriber<[Int], Never>.checked(requesting: demand) { _, _ in .max(1) }
                let sides = (0...2).map { index in
                    IteratorSequence(
                        AnyIterator { [tracked = Tracked()] () -> Int? in
                            _ = tracked
                            read[index] += 1
                            if index == position, read[index] == 3 { subscriber.cancel() }
                            return read[index]
                        }
                    ).publisher
                }
                .map { $0.eraseToAnyPublisher() }
                attach(subscriber, to: sides)
                XCTAssertEqual(subscriber.values, [[1, 1, 1], [2, 2, 2]])
                XCTAssertEqual(read, (0...2).map { $0 <= position ? 3 : 2 }, "\(position), \(demand)")
                withExtendedLifetime(sides) {}
                XCTAssertNil(subscriber.completion)
                XCTAssertEqual(Tracked.count, before + 3)
            }
        }
    }

    func test_cancelInsideADeliveryReadsNothingFurther() {
        var read = [0, 0]
        let sides = (0...1).map { index in
            IteratorSequence(
                AnyIterator { () -> Int? in
                    read[index] += 1
                    return read[index]
                })
        }
        let subscriber = TestSubscriber<Int, Never>.checked(.cancelling(atValue: 4))
        sides[0].publisher.zip(sides[1].publisher) { $0 + $1 }.subscribe(subscriber)
        XCTAssertEqual(subscriber.values, [2, 4, 6, 8])
        XCTAssertEqual(read, [4, 4])
    }

    /// What a side of a zip is, each of which publishes the numbers from one.
    private enum Kind: CaseIterable {
        case sequence, endless, empty, shortened, subject, late

        /// How many values it has.
        var count: Int {
            switch self {
            case .sequence: 6
            case .endless: .max
            case .empty: 0
            case .shortened: 2
            case .subject, .late: 5
            }
        }
    }

    private func play(_ kinds: [Kind]) {
        // Nothing would end it.
        if kinds.allSatisfy({ $0 == .endless }) { return }
        for requests in [[Subscribers.Demand.unlimited], [.max(1), .max(2), .max(1), .unlimited], [.max(2)]] {
            for answer in 0...2 {
                let hands = kinds.map { TestPublisher<Int, Never>(sendsSubscription: $0 != .late) }
                let subscriber = TestSubscriber<[Int], Never>(requesting: .none) { subscriber, row in
                    // Demand for one more row after each odd one: returned, or requested.
                    if row[0].isMultiple(of: 2) || answer == 0 { return .none }
                    if answer == 1 { return .max(1) }
                    subscriber.request(1)
                    return .none
                }
                let sides = Swift.zip(kinds, hands).map { kind, hand in
                    switch kind {
                    case .sequence: (1...6).publisher.eraseToAnyPublisher()
                    case .endless: (1...).publisher.eraseToAnyPublisher()
                    case .empty: Empty<Int, Never>().eraseToAnyPublisher()
                    case .shortened: (1...6).publisher.prefix(2).eraseToAnyPublisher()
                    case .subject, .late: hand.eraseToAnyPublisher()
                    }
                }
                attach(subscriber, to: sides)
                for demand in requests { subscriber.request(demand) }
                for (kind, hand) in Swift.zip(kinds, hands) where kind == .late { hand.sendSubscription() }
                for value in 1...5 { for hand in hands { hand.send(value) } }

                let rows = kinds.map(\.count).min() ?? 0
                var demand = requests.reduce(.none) { $0 + $1 }
                var expected: [[Int]] = []
                while demand > .none, rows > expected.count {
                    demand -= 1
                    expected.append([1, 1, 1].map { $0 + expected.count })
                    if answer > 0, !expected.count.isMultiple(of: 2) { demand += 1 }
                }
                let place = "\(kinds), \(requests), \(answer)"
                XCTAssertEqual(subscriber.values, expected, place)
                XCTAssertEqual(subscriber.breaches, [], place)
                if kinds.contains(.empty) { XCTAssertTrue(subscriber.hasFinished, place) }
                subscriber.cancel()
                for hand in hands { XCTAssertFalse(hand.isConnected, place) }
            }
        }
    }

    private func attach(_ subscriber: TestSubscriber<[Int], Never>, to sides: [AnyPublisher<Int, Never>]) {
        sides[0].zip(sides[1], sides[2]) { [$0, $1, $2] }.subscribe(subscriber)
    }

    /// Forwards upstream's subscription as it is, and sends each value several times, against the contract.
    private struct Repeating: Publisher {
        typealias Output = Int
        typealias Failure = Never

        let upstream: Publishers.Sequence<ClosedRange<Int>, Never>
        let repeats: Int

        func receive(subscriber: some Subscriber<Int, Never>) {
            upstream.subscribe(
                AnySubscriber(
                    receiveSubscription: { subscriber.receive(subscription: $0) },
                    receiveValue: { value in
                        for index in 0..<repeats { _ = subscriber.receive(value * 10 + index) }
                        return .none
                    },
                    receiveCompletion: { subscriber.receive(completion: $0) }))
        }
    }
}
