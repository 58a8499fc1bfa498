import Headgate
import HeadgateControls
import HeadgateTesting
import TestSupport
import XCTest

final class ControlPublisherTests: XCTestCase {
    private let field = TextField()

    func test_publishesTheControlOfItsVeryClass() {
        let publisher: ControlPublisher<TextField> = field.publisher(for: .editingChanged)
        var texts: [String?] = []
        let subscription = publisher.map { $0.text }.sink { texts.append($0) }
        field.insertText("a")
        field.insertText("b")
        field.pressReturn()
        XCTAssertEqual(texts, ["a", "ab"])
        subscription.cancel()
    }

    func test_honoursDemand() {
        let subscriber = TestSubscriber<TextField, Never>.checked()
        field.publisher(for: .editingChanged).subscribe(subscriber)
        XCTAssertEqual(subscriber.subscription.map { "\($0)" }, "ControlPublisher")
        field.insertText("a")
        subscriber.request(1)
        field.insertText("b")
        field.insertText("c")
        subscriber.request(2)
        field.insertText("d")
        XCTAssertEqual(subscriber.values.count, 2)
        XCTAssertEqual(subscriber.outstanding, .max(1))
    }

    func test_staysWhenAllTargetsAreRemoved() {
        let subscriber = TestSubscriber<TextField, Never>.checked(.unlimited)
        field.publisher(for: .editingChanged).subscribe(subscriber)
        field.removeTarget(nil)
        field.insertText("a")
        XCTAssertEqual(subscriber.values.count, 1)
    }

    func test_addsDemandFromInside() {
        let subscriber = TestSubscriber<TextField, Never>.checked(requesting: .max(1)) { subscriber, _ in
            subscriber.request(1)
            return subscriber.values.count == 1 ? .max(1) : .none
        }
        field.publisher(for: .editingChanged).subscribe(subscriber)
        for _ in 0..<5 { field.insertText("x") }
        XCTAssertEqual(subscriber.values.count, 5)
        XCTAssertEqual(subscriber.outstanding, .max(2))
    }

    func test_cancelTakesTheEntryOut() {
        let before = Tracked.count
        let subscription = field.publisher(for: .allEvents).sink { [tracked = Tracked()] _ in _ = tracked }
        XCTAssertEqual(Tracked.count, before + 1)
        subscription.cancel()
        XCTAssertEqual(Tracked.count, before)
        field.insertText("x")
    }

    func test_cancelFromInsideADelivery() {
        let subscriber = TestSubscriber<TextField, Never>.checked(.unlimited) { subscriber, _ in
            subscriber.cancel()
        }
        field.publisher(for: .editingChanged).subscribe(subscriber)
        field.insertText("a")
        field.insertText("b")
        XCTAssertEqual(subscriber.values.count, 1)
    }

    func test_releasingTheSubscriptionTakesTheEntryOut() {
        let before = Tracked.count
        var subscription: (any Subscription)?
        field.publisher(for: .allEvents).subscribe(
            AnySubscriber<TextField, Never>(
                receiveSubscription: { subscription = $0 },
                receiveValue: { [tracked = Tracked()] _ in
                    _ = tracked
                    return .none
                }))
        subscription?.request(.unlimited)
        field.insertText("a")
        subscription = nil
        XCTAssertEqual(Tracked.count, before)
    }

    func test_doesNotKeepTheControlAndFinishesWhenItIsGone() {
        let subscriber = TestSubscriber<Button, Never>.checked(.unlimited)
        let late = TestSubscriber<Button, Never>.checked()
        weak var weakButton: Button?
        do {
            let button = Button()
            weakButton = button
            button.publisher(for: .allEvents).subscribe(subscriber)
            button.publisher(for: .allEvents).subscribe(late)
        }
        XCTAssertNil(weakButton)
        XCTAssertTrue(subscriber.hasFinished)
        XCTAssertNil(late.completion)
        late.request(1)
        XCTAssertTrue(late.hasFinished)
    }

    func test_subscribersAreServedInTheirOrder() {
        var order: [Int] = []
        let subscriptions = (0..<5).map { number in
            field.publisher(for: .editingChanged).sink { _ in order.append(number) }
        }
        field.insertText("x")
        XCTAssertEqual(order, [0, 1, 2, 3, 4])
        subscriptions.forEach { $0.cancel() }
    }

    func test_eventsFromInsideADeliveryAreFlat() {
        let control = Control()
        var count = 0
        let subscriber = TestSubscriber<Control, Never>.checked(.unlimited) { subscriber, _ in
            count += 1
            if subscriber.outstanding > .none, count < 50_000 { control.sendActions(for: .valueChanged) }
        }
        control.publisher(for: .valueChanged).subscribe(subscriber)
        control.sendActions(for: .valueChanged)
        XCTAssertEqual(subscriber.values.count, 50_000)
        subscriber.cancel()
    }

    func test_eventsFromTwoThreadsDoNotOverlap() {
        let control = Control()
        let subscriber = TestSubscriber<Control, Never>.checked(.unlimited)
        control.publisher(for: .valueChanged).subscribe(subscriber)
        onThreads(2) { _ in
            for _ in 0..<5000 { control.sendActions(for: .valueChanged) }
        }
        XCTAssertEqual(subscriber.values.count, 10_000)
        subscriber.cancel()
    }
}
