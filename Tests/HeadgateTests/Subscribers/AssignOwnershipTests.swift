import Headgate
import TestSupport
import XCTest

final class AssignOwnershipTests: XCTestCase {
    private final class Box {
        var number = 0
        let tracked = Tracked()
    }

    func test_setsOneTwoOrThreeObjectsHoweverTheyAreHeld() {
        for ownership in ObjectOwnership.allCases {
            let subject = PassthroughSubject<Int, Never>()
            let boxes = (0..<6).map { _ in Box() }
            let ties = [
                subject.assign(to: \.number, on: boxes[0], ownership: ownership),
                subject.assign(to: \.number, on: boxes[1], and: \.number, on: boxes[2], ownership: ownership),
                subject.assign(
                    to: \.number, on: boxes[3], and: \.number, on: boxes[4], and: \.number, on: boxes[5],
                    ownership: ownership),
            ]
            subject.send(7)
            XCTAssertEqual(boxes.map(\.number), Array(repeating: 7, count: 6))
            withExtendedLifetime(ties) {}
        }
    }

    func test_holdsTheObjectOnlyWhereItIsToBeHeldStrongly() {
        for ownership in ObjectOwnership.allCases {
            let living = Tracked.count
            let subject = PassthroughSubject<Int, Never>()
            var box: Box? = Box()
            let tie = box.map { subject.assign(to: \.number, on: $0, ownership: ownership) }
            box = nil
            XCTAssertEqual(Tracked.count, living + (ownership == .strong ? 1 : 0))
            if ownership != .unowned { subject.send(1) }
            tie?.cancel()
            XCTAssertEqual(Tracked.count, living)
        }
    }

    func test_combinesOwnAssignIsStillThere() {
        let box = Box()
        let tie = Just(3).assign(to: \.number, on: box)
        XCTAssertEqual(box.number, 3)
        tie.cancel()
    }
}
