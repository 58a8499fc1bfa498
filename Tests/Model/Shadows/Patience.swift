import ModelCore
import ModelKit

/// Stands in for `Patience`: the search decides when a wait runs out.
@usableFromInline package struct Patience {
    @usableFromInline package static var bound: UInt64 { 1_000_000 }

    package static var longest: Int { 100 }

    var turns: Int32 = 0

    @usableFromInline package init() {}

    package mutating func wait(behind backlog: Int, park: (UInt64) -> Void) -> Bool {
        turns += 1
        if turns > model_waits() || model_choose(2, "patience runs out") != 0 { return false }
        if model_choose(2, "looks again at once") != 0 { model_yield() } else { park(Self.bound) }
        return true
    }

    @usableFromInline package mutating func waitBriefly() { model_yield() }
}

// Parking is a step of the model.
extension Atomic<UInt> {
    package func park(expecting value: UInt, nanoseconds: UInt64) -> Bool { sleep(while: value) }

    package func wakeOne() { wake() }
}
