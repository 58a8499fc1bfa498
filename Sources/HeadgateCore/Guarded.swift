import Synchronization

/// A value that a lock guards, for the few places where threads share more than a word.
///
/// The lock is held for a copy or an assignment only. No user code may run under it: no closure, no subscriber, and no
/// `deinit`, so a replaced value is returned and released by the caller.
///
/// Store a closure inside a struct. On its own, it would be wrapped once more at every access, because generic code has
/// its own calling convention for closures, and a call would go through all of these layers.
@usableFromInline package struct Guarded<Value>: ~Copyable, Sendable {
    @usableFromInline package let lock: Mutex<Value>

    // ThreadSanitizer doesn't see the ordering that `Mutex` establishes, because its code is in the runtime, which
    // isn't instrumented. It sees this word, which costs two plain moves on the processors we know.
    @usableFromInline package let stamp = Atomic(false)

    @inlinable package init(_ value: sending Value) {
        lock = Mutex(value)
    }

    /// Reads or changes the value: briefly, and without user code.
    @inlinable @inline(__always) package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { value in
            _ = stamp.load(ordering: .acquiring)
            // Only one caller receives the result; the value itself stays under the lock.
            nonisolated(unsafe) let result = body(&value)
            stamp.store(true, ordering: .releasing)
            return result
        }
    }
}
