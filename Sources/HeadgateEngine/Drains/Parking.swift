import HeadgateThread
import Synchronization

// A thread sleeps at a word for as long as the word doesn't change, or until it is woken. Between the thread's look at the
// word and its sleep no change and wake-up can come: the system compares the word once more, and who changes it wakes
// after the change.
extension Atomic<UInt> {
    /// Parks the calling thread, if the word is what is expected, until another one wakes it or the time has passed.
    ///
    /// - Returns: Whether it was woken. May return too early.
    package func park(expecting value: UInt, nanoseconds: UInt64) -> Bool {
        withUnsafePointer(to: self) { headgate_park($0, UInt32(truncatingIfNeeded: value), nanoseconds) != 0 }
    }

    /// Wakes one of the threads that are parked here; called after changing the word.
    package func wakeOne() {
        withUnsafePointer(to: self) { headgate_wake($0) }
    }
}
