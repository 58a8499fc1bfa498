import HeadgateSystem
import XCTest

final class AlarmSlotTests: XCTestCase {
    func test_anAlarmThatGoesOffBeforeItIsKeptLeavesTheNextOneAlone() {
        let slot = AlarmSlot()
        var cancelled: [String] = []
        slot.set {
            // It goes off, and its work sets the next one.
            slot.set { AnyCancellable { cancelled.append("second") } }
            return AnyCancellable { cancelled.append("first") }
        }
        XCTAssertEqual(cancelled, ["first"])
        slot.cancel()
        XCTAssertEqual(cancelled, ["first", "second"])
    }

    func test_theNextAlarmCancelsTheOneBefore() {
        let slot = AlarmSlot()
        var cancelled: [Int] = []
        for number in 1...3 { slot.set { AnyCancellable { cancelled.append(number) } } }
        XCTAssertEqual(cancelled, [1, 2])
    }

    func test_anAlarmThatIsCancelledWhileItIsSetIsNotKept() {
        let slot = AlarmSlot()
        var cancelled: [String] = []
        slot.set {
            slot.cancel()
            return AnyCancellable { cancelled.append("first") }
        }
        XCTAssertEqual(cancelled, ["first"])
    }
}
