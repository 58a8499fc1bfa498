import Dispatch
import Headgate
import HeadgateControls
import TestSupport
import XCTest

final class ControlTests: XCTestCase {
    private final class Target {
        var log: [String] = []
        var onEvent: () -> Void = {}

        func receive() {
            log.append("event")
            onEvent()
        }

        func readTitle(of control: Control) { log.append((control as? Button)?.title ?? "other") }
    }

    private let target = Target()

    func test_callsTheMethodOfTheTarget() {
        let button = Button(title: "More")
        button.addTarget(target, action: Target.receive, for: .primaryActionTriggered)
        button.addTarget(target, action: Target.readTitle(of:), for: .primaryActionTriggered)
        button.press()
        XCTAssertEqual(target.log, ["event", "More"])
    }

    func test_callsOnceForSeveralEventsAndNotForOthers() {
        let control = Control()
        control.addTarget(target, action: Target.receive, for: [.valueChanged, .touchDown])
        control.sendActions(for: [.valueChanged, .touchDown])
        control.sendActions(for: .editingChanged)
        control.sendActions(for: [])
        control.sendActions(for: .allTouchEvents)
        XCTAssertEqual(target.log.count, 2)
    }

    func test_doesNotKeepTargets() {
        let control = Control()
        weak var weakTarget: Target?
        do {
            let target = Target()
            weakTarget = target
            control.addTarget(target, action: Target.receive, for: .allEvents)
        }
        XCTAssertNil(weakTarget)
        control.sendActions(for: .valueChanged)
    }

    func test_forgetsWhatWasMadeForTargetsThatAreGone() {
        let before = Tracked.count
        let control = Control()
        do {
            let action: (Target) -> () -> Void = { [tracked = Tracked()] _ in { _ = tracked } }
            control.addTarget(Target(), action: action, for: .allEvents)
        }
        XCTAssertEqual(Tracked.count, before + 1)
        control.addTarget(target, action: Target.receive, for: .allEvents)
        XCTAssertEqual(Tracked.count, before)
    }

    func test_removesTargets() {
        let control = Control()
        let other = Target()
        control.addTarget(target, action: Target.receive, for: .valueChanged)
        control.addTarget(target, action: Target.receive, for: .touchDown)
        control.addTarget(other, action: Target.receive, for: .valueChanged)
        control.removeTarget(target, for: .valueChanged)
        control.sendActions(for: .valueChanged)
        control.sendActions(for: .touchDown)
        XCTAssertEqual([target.log.count, other.log.count], [1, 1])
        control.removeTarget(nil)
        control.sendActions(for: .allEvents)
        XCTAssertEqual([target.log.count, other.log.count], [1, 1])
    }

    func test_aTargetThatIsRemovedByAnotherIsNotCalledAnyMore() {
        let control = Control()
        let other = Target()
        target.onEvent = { control.removeTarget(other) }
        control.addTarget(target, action: Target.receive, for: .valueChanged)
        control.addTarget(other, action: Target.receive, for: .valueChanged)
        control.sendActions(for: .valueChanged)
        XCTAssertEqual([target.log.count, other.log.count], [1, 0])
    }

    func test_anEventSentFromInsideComesAfterwardsForAll() {
        let control = Control()
        var order: [String] = []
        let first = control.publisher(for: .allEvents).sink { _ in
            order.append("first")
            if order.count == 1 { control.sendActions(for: .valueChanged) }
        }
        let second = control.publisher(for: .allEvents).sink { _ in order.append("second") }
        control.sendActions(for: .valueChanged)
        XCTAssertEqual(order, ["first", "second", "first", "second"])
        first.cancel()
        second.cancel()
    }

    func test_aButtonSendsOnePressAsTwoEvents() {
        let button = Button()
        button.addTarget(target, action: Target.receive, for: .allEvents)
        button.press()
        XCTAssertEqual(target.log.count, 2)
    }

    func test_aTextFieldReportsWhatTheUserDoesAndNotWhatTheProgramDoes() {
        let field = TextField()
        field.addTarget(target, action: Target.receive, for: .editingChanged)
        field.text = "Gat"
        field.insertText("e")
        XCTAssertEqual(field.text, "Gate")
        field.deleteBackward()
        XCTAssertEqual(field.text, "Gat")
        field.pressReturn()
        field.text = nil
        field.deleteBackward()
        XCTAssertEqual(target.log.count, 2)
        field.insertText("x")
        XCTAssertEqual(field.text, "x")
    }
}
