import Synchronization

/// Stands in for `Guarded`: a lock, without the stamp for ThreadSanitizer.
@usableFromInline package struct Guarded<Value>: ~Copyable, @unchecked Sendable {
    @usableFromInline package let lock: Mutex<Value>

    @inlinable package init(_ value: sending Value, file: StaticString = #fileID, line: Int32 = #line) {
        lock = Mutex(value, file: file, line: line)
    }

    @inlinable @inline(__always) package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { value in body(&value) }
    }
}
