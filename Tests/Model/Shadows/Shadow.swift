public import ModelKit
public import Synchronization

// In each module of the library, these names mean the model's types.
public typealias Atomic<Value: AtomicRepresentable> = ModelAtomic<Value>
public typealias Mutex<Value> = ModelMutex<Value>
public typealias UnsafeContinuation<Value, Failure: Error> = ModelContinuation<Value, Failure>

/// Suspends a task, which the model doesn't run.
public func withUnsafeContinuation<Value>(_ body: (ModelContinuation<Value, Never>) -> Void) async -> Value {
    await ModelContinuation<Value, Never>.suspend(body)
}
