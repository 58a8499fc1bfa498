import Headgate
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
        let recorder = Recorder<TextField, Never>()
        field.publisher(for: .editingChanged).subscribe(recorder)
        XCTAssertEqual(recorder.subscription.map { "\($0)" }, "ControlPublisher")
        field.insertText("a")
        recorder.request(1)
        field.insertText("b")
        field.insertText("c")
        recorder.request(2)
        field.insertText("d")
        XCTAssertEqual(recorder.values.count, 2)
        XCTAssertEqual(recorder.owed, .max(1))
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_addsDemandFromInside() {
        let recorder = Recorder<TextField, Never>(demand: .max(1)) { recorder, _ in
            recorder.request(1)
            return recorder.values.count == 1 ? .max(1) : .none
        }
        field.publisher(for: .editingChanged).subscribe(recorder)
        for _ in 0..<5 { field.insertText("x") }
        XCTAssertEqual(recorder.values.count, 5)
        XCTAssertEqual(recorder.owed, .max(2))
        XCTAssertEqual(recorder.breaches, [])
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
        let recorder = Recorder<TextField, Never>(demand: .unlimited) { recorder, _ in
            recorder.cancel()
            return .none
        }
        field.publisher(for: .editingChanged).subscribe(recorder)
        field.insertText("a")
        field.insertText("b")
        XCTAssertEqual(recorder.values.count, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_lettingGoOfTheSubscriptionTakesTheEntryOut() {
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
        let recorder = Recorder<Button, Never>(demand: .unlimited)
        let late = Recorder<Button, Never>()
        weak var weakButton: Button?
        do {
            let button = Button()
            weakButton = button
            button.publisher(for: .allEvents).subscribe(recorder)
            button.publisher(for: .allEvents).subscribe(late)
        }
        XCTAssertNil(weakButton)
        XCTAssertTrue(recorder.hasFinished)
        XCTAssertNil(late.completion)
        late.request(1)
        XCTAssertTrue(late.hasFinished)
        XCTAssertEqual(recorder.breaches + late.breaches, [])
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
        let recorder = Recorder<Control, Never>(demand: .unlimited) { recorder, _ in
            if recorder.owed > .none, recorder.events.count < 50_000 { control.sendActions(for: .valueChanged) }
            return .none
        }
        control.publisher(for: .valueChanged).subscribe(recorder)
        control.sendActions(for: .valueChanged)
        XCTAssertEqual(recorder.values.count, 49_999)
        XCTAssertEqual(recorder.breaches, [])
        recorder.cancel()
    }

    func test_eventsFromTwoThreadsDoNotOverlap() {
        let control = Control()
        let recorder = Recorder<Control, Never>(demand: .unlimited)
        control.publisher(for: .valueChanged).subscribe(recorder)
        onThreads(2) { _ in
            for _ in 0..<5000 { control.sendActions(for: .valueChanged) }
        }
        XCTAssertEqual(recorder.values.count, 10_000)
        XCTAssertEqual(recorder.breaches, [])
        recorder.cancel()
    }
}
