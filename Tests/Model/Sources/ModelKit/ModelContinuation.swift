/// Stands in for `UnsafeContinuation`: a scenario says what resuming means, and there a virtual thread is the task.
public struct ModelContinuation<Value, Failure: Error>: @unchecked Sendable {
    let resumption: (Value) -> Void

    public init(_ resumption: @escaping (Value) -> Void) { self.resumption = resumption }

    public func resume(returning value: Value) { resumption(value) }

    public func resume() where Value == Void { resumption(()) }

    public static func suspend(_ body: (ModelContinuation<Value, Never>) -> Void) async -> Value {
        await withUnsafeContinuation { task in
            body(
                ModelContinuation<Value, Never> { value in
                    nonisolated(unsafe) let value = value
                    task.resume(returning: value)
                })
        }
    }
}
