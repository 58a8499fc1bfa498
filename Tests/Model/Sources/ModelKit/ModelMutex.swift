public import ModelCore

/// Stands in for `Synchronization.Mutex`.
public struct ModelMutex<Value>: ~Copyable, @unchecked Sendable {
    let mutex: OpaquePointer
    let storage: UnsafeMutablePointer<Value>

    public init(_ value: consuming Value, file: StaticString = #fileID, line: Int32 = #line) {
        mutex = model_mutex_create(file.characters, line)
        storage = .allocate(capacity: 1)
        storage.initialize(to: value)
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
        model_mutex_destroy(mutex)
    }

    public func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        model_lock(mutex)
        let result = body(&storage.pointee)
        model_unlock(mutex)
        return result
    }
}
