public import ModelKit
public import Synchronization

// In each module of the library, these names mean the model's types.
public typealias Atomic<Value: AtomicRepresentable> = ModelAtomic<Value>
public typealias Mutex<Value> = ModelMutex<Value>
