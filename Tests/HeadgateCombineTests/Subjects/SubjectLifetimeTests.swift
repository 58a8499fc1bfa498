import HeadgateCombine
import TestSupport
import XCTest

/// How long a subject lives: as long as somebody holds it or is subscribed to it.
final class SubjectLifetimeTests: XCTestCase {
    /// Somewhere to send from, that keeps no subject.
    private final class Button {
        var action: () -> Void = {}
    }

    func test_aPassthroughSubjectGoesOnDeliveringWhenOnlyTheSubscriptionIsKept() {
        let button = Button()
        var values: [Int] = []
        var subscription: AnyCancellable?
        weak var watched: PassthroughSubject<Int, Never>?
        do {
            let subject = PassthroughSubject<Int, Never>()
            watched = subject
            button.action = { [weak subject] in subject?.send(1) }
            subscription = subject.map { $0 * 10 }.sink { values.append($0) }
        }
        button.action()
        button.action()
        XCTAssertEqual(values, [10, 10])
        subscription?.cancel()
        button.action()
        XCTAssertEqual(values, [10, 10])
        XCTAssertNil(watched)
    }

    func test_aCurrentValueSubjectGoesOnDeliveringWhenOnlyTheSubscriptionIsKept() {
        let button = Button()
        var values: [Int] = []
        var subscription: AnyCancellable?
        weak var watched: CurrentValueSubject<Int, Never>?
        do {
            let subject = CurrentValueSubject<Int, Never>(0)
            watched = subject
            button.action = { [weak subject] in subject?.value += 1 }
            subscription = subject.sink { values.append($0) }
        }
        button.action()
        button.action()
        XCTAssertEqual(values, [0, 1, 2])
        XCTAssertNotNil(subscription)
        subscription = nil
        XCTAssertNil(watched)
    }

    func test_livesUntilTheLastOfItsSubscribersHasCancelled() {
        for count in [1, 2, 100] {
            weak var watched: PassthroughSubject<Int, Never>?
            var received = 0
            var subscriptions: [AnyCancellable] = []
            do {
                let subject = PassthroughSubject<Int, Never>()
                watched = subject
                subscriptions = (0..<count).map { _ in subject.sink { received += $0 } }
            }
            while !subscriptions.isEmpty {
                XCTAssertNotNil(watched)
                watched?.send(1)
                subscriptions.removeFirst()
            }
            XCTAssertNil(watched)
            XCTAssertEqual(received, count * (count + 1) / 2)
        }
    }

    func test_isReleasedAtTheEndThoughTheSubscriptionIsKept() {
        weak var passthrough: PassthroughSubject<Int, Never>?
        weak var state: CurrentValueSubject<Int, Never>?
        var subscriptions: [AnyCancellable] = []
        do {
            let first = PassthroughSubject<Int, Never>()
            let second = CurrentValueSubject<Int, Never>(0)
            (passthrough, state) = (first, second)
            subscriptions = [first.sink { _ in }, second.sink { _ in }]
        }
        passthrough?.send(completion: .finished)
        state?.send(completion: .finished)
        XCTAssertNil(passthrough)
        XCTAssertNil(state)
        XCTAssertEqual(subscriptions.count, 2)
    }

    func test_isReleasedWhenItsSubscriberCancelsInsideADelivery() {
        weak var watched: PassthroughSubject<Int, Never>?
        let upstream = LoggingSubscription()
        var subscription: AnyCancellable?
        do {
            let subject = PassthroughSubject<Int, Never>()
            watched = subject
            subscription = subject.sink { _ in subscription = nil }
            subject.send(subscription: upstream)
        }
        XCTAssertNotNil(watched)
        watched?.send(1)
        XCTAssertNil(watched)
        XCTAssertNil(subscription)
        XCTAssertEqual(upstream.calls, ["request unlimited", "cancel"])
    }

    func test_isReleasedWhenItsSubscriberCancelsAtOnce() {
        weak var watched: PassthroughSubject<Int, Never>?
        do {
            let subject = PassthroughSubject<Int, Never>()
            watched = subject
            subject.subscribe(
                AnySubscriber(receiveSubscription: { $0.cancel() }, receiveValue: { _ in .none }))
        }
        XCTAssertNil(watched)
    }

    func test_isKeptByASubscriberThatCameInsideADeliveryAndNotByOneThatLeftInside() {
        weak var watched: PassthroughSubject<Int, Never>?
        var values: [Int] = []
        var first: AnyCancellable?
        var second: AnyCancellable?
        do {
            let subject = PassthroughSubject<Int, Never>()
            watched = subject
            first = subject.sink { [weak subject] _ in
                second = subject?.sink { values.append($0) }
                first = nil
            }
        }
        watched?.send(1)
        watched?.send(2)
        XCTAssertEqual(values, [2])
        XCTAssertNil(first)
        XCTAssertNotNil(second)
        second = nil
        XCTAssertNil(watched)
    }

    func test_isReleasedWhenALoopOverItsValuesIsLeft() async {
        weak var watched: CurrentValueSubject<Int, Never>?
        do {
            let subject = CurrentValueSubject<Int, Never>(7)
            watched = subject
            for await value in subject.values {
                XCTAssertEqual(value, 7)
                break
            }
        }
        XCTAssertNil(watched)
    }

    func test_aSharedStreamReleasesItsSubjectWithTheLastSubscription() {
        weak var watched: PassthroughSubject<Int, Never>?
        var values: [Int] = []
        var subscriptions: Set<AnyCancellable> = []
        do {
            let subject = PassthroughSubject<Int, Never>()
            watched = subject
            let shared = subject.share()
            shared.sink { values.append($0) }.store(in: &subscriptions)
            shared.sink { values.append($0) }.store(in: &subscriptions)
        }
        watched?.send(1)
        XCTAssertEqual(values, [1, 1])
        subscriptions = []
        XCTAssertNil(watched)
    }

    func test_anObjectIsNotKeptByTheSubscriptionsToItsProperties() {
        final class Meter: ObservableObject {
            @Published var level = 0
        }
        weak var watched: Meter?
        var subscriptions: [AnyCancellable] = []
        do {
            let meter = Meter()
            watched = meter
            subscriptions = [meter.$level.sink { _ in }, meter.objectWillChange.sink {}]
        }
        XCTAssertNil(watched)
        XCTAssertEqual(subscriptions.count, 2)
    }
}

final class SubjectLifetimeConcurrencyTests: XCTestCase {
    func test_isReleasedOnceHoweverCancellationsAndSendsMeet() {
        for _ in 0..<200 {
            weak var watched: PassthroughSubject<Int, Never>?
            let upstream = LoggingSubscription()
            do {
                let subject = PassthroughSubject<Int, Never>()
                watched = subject
                subject.send(subscription: upstream)
                let subscriptions = (0..<3).map { _ in subject.sink { _ in } }
                weak let sender = subject
                onThreads(4) { thread in
                    if thread == 3 {
                        for number in 0..<20 { sender?.send(number) }
                    } else {
                        subscriptions[thread].cancel()
                    }
                }
            }
            XCTAssertNil(watched)
            XCTAssertEqual(upstream.calls, ["request unlimited", "cancel"])
        }
    }
}
