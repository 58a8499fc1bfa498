import ModelCore
import ModelKit
import Synchronization

// Stands in for `Parking`: a caller that parks returns at some moment, and was woken or not.
extension Atomic<UInt> {
    package func park(expecting value: UInt, nanoseconds: UInt64) -> Bool {
        load(ordering: .relaxed) == value && model_choose(2, "is woken before its time has passed") != 0
    }

    package func wakeOne() { model_step("wakes one") }
}
