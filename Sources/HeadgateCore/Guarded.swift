import Synchronization

/// A value behind a lock, for the few places where threads share something larger than a word.
///
/// The lock is held for the time of a copy or an assignment. Nothing that belongs to somebody else may run under it: no
/// closure, no subscriber, and no `deinit`, so what is replaced is returned and dropped by the caller.
///
/// A closure is kept inside a struct. Bare, it would be wrapped once more at every access, for generic code has a
/// convention of its own for calling closures, and a call would lead through all these layers.
@usableFromInline package struct Guarded<Value>: ~Copyable, Sendable {
    @usableFromInline package let lock: Mutex<Value>

    // ThreadSanitizer does not see the order that `Mutex` makes, for its code is in the runtime, which is not
    // instrumented. It sees this word: two plain moves on the processors that we know.
    @usableFromInline package let stamp = Atomic(false)

    @inlinable package init(_ value: sending Value) {
        lock = Mutex(value)
    }

    /// Reads or changes the value: short, and free of foreign code.
    @inlinable @inline(__always) package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { value in
            _ = stamp.load(ordering: .acquiring)
            // The result is handed to one caller only; the value itself stays under the lock.
            nonisolated(unsafe) let result = body(&value)
            stamp.store(true, ordering: .releasing)
            return result
        }
    }
}
