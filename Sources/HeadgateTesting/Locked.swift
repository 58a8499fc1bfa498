import Synchronization

/// A value behind a lock.
///
/// Nothing that belongs to somebody else may run under it, deinitialisers included.
struct Locked<Value>: ~Copyable {
    private let lock: Mutex<Value>

    // ThreadSanitizer does not see the order that `Mutex` makes; it sees this word.
    private let stamp = Atomic(false)

    /// Puts a value behind a lock.
    ///
    /// Whoever calls keeps no other way to it.
    init(_ value: Value) {
        nonisolated(unsafe) let value = value
        lock = Mutex(value)
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { value in
            _ = stamp.load(ordering: .acquiring)
            // The result is handed to one caller only; the value itself stays under the lock.
            nonisolated(unsafe) let result = body(&value)
            stamp.store(true, ordering: .releasing)
            return result
        }
    }
}
