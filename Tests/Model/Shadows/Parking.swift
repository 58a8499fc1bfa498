import ModelKit

// Stands in for `Parking`.
extension Atomic<UInt> {
    package func park(expecting value: UInt, nanoseconds: UInt64) -> Bool { sleep(while: value) }

    package func wakeOne() { wake() }
}
