import ModelCore
import ModelKit

/// Stands in for `BoundedWait`: the search decides when a wait runs out.
package struct BoundedWait {
    package static var bound: UInt64 { 1_000_000 }

    package static var longest: Int { 100 }

    package static var patience: UInt64 { 0 }

    var turns: Int32 = 0

    package init() {}

    package mutating func goesOn(behind backlog: Int, park: (UInt64) -> Void) -> Bool {
        turns += 1
        if turns > model_waits() || model_choose(2, "the time runs out") != 0 { return false }
        if model_choose(2, "looks again at once") != 0 { model_yield() } else { park(Self.bound) }
        return true
    }
}

// Parking is a step of the model.
extension Atomic<UInt> {
    package func park(expecting value: UInt, nanoseconds: UInt64) { _ = sleep(while: value) }

    package func wakeAll() { wake() }
}
