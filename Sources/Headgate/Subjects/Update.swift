import HeadgateEngine

extension CurrentValueSubject {
    /// Changes the value atomically, and publishes it.
    ///
    /// ```
    /// subject   0---1---2---3---|
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// let counter = CurrentValueSubject<Int, Never>(0)
    /// DispatchQueue.concurrentPerform(iterations: 1000) { _ in counter.update { $0 += 1 } }
    /// print(counter.value)
    /// // 1000
    /// ```
    ///
    /// With `counter.value += 1`, two threads may read the same value, and one of the two changes is lost.
    ///
    /// No lock is held while the closure runs. If another thread changes the value in the meantime, the closure is
    /// called again with the new value, so it should be short and must do nothing but change the value that it
    /// receives. A closure that changes the subject itself traps.
    ///
    /// - **Demand**: as for `send(_:)`.
    /// - **Completion**: after the completion, the value is changed but not published.
    /// - **Threads**: the closure is called on the calling thread; the value is published as by `send(_:)`.
    /// - **Complexity**: one call of the closure, and one more for each concurrent change.
    ///
    /// - Parameter change: Changes a copy of the value. If it throws, the error is rethrown and nothing changes.
    /// - Returns: The result of the last call of the closure.
    @discardableResult
    public func update<Result, Thrown: Error>(_ change: (inout Output) throws(Thrown) -> Result) throws(Thrown)
        -> Result
    {
        try changeInOneStep(of: self, read: { self.versioned }, write: { self.change(to: $0, ifStill: $1) }, change)
    }
}

extension Published.Publisher {
    /// Changes the property atomically.
    ///
    /// ```
    /// $level    0---1---2---3---
    /// ```
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    ///
    /// final class Meter { @Published var level = 0 }
    /// let meter = Meter()
    /// let level = meter.$level
    /// DispatchQueue.concurrentPerform(iterations: 1000) { _ in level.update { $0 += 1 } }
    /// print(meter.level)
    /// // 1000
    /// ```
    ///
    /// No lock is held while the closure runs. If another thread sets the property in the meantime, the closure is
    /// called again with the new value, so it should be short and must do nothing but change the value that it
    /// receives. A closure that sets the property itself traps.
    ///
    /// - **Demand**: as for setting the property.
    /// - **Completion**: never.
    /// - **Threads**: the closure is called on the calling thread; the value is published as by setting the property.
    /// - **Complexity**: one call of the closure, and one more for each concurrent change. The object's
    ///   `objectWillChange` fires once per call.
    ///
    /// - Parameter change: Changes a copy of the value. If it throws, the error is rethrown and nothing changes.
    /// - Returns: The result of the last call of the closure.
    @discardableResult
    public func update<Result, Thrown: Error>(_ change: (inout Value) throws(Thrown) -> Result) throws(Thrown)
        -> Result
    {
        try changeInOneStep(of: self, read: { self.versioned }, write: { self.change(to: $0, ifStill: $1) }, change)
    }
}

/// Reads a value, changes a copy, and writes that unless the value has changed in the meantime; otherwise tries again.
private func changeInOneStep<Subject, Value, Version, Result, Thrown: Error>(
    of subject: Subject, read: () -> (value: Value, version: Version), write: (Value, Version) -> Bool,
    _ change: (inout Value) throws(Thrown) -> Result
) throws(Thrown) -> Result {
    // Each failed attempt is a change by someone else. After this many in a row, the cause is not another thread but the
    // closure.
    for _ in 0..<100_000 {
        var (value, version) = read()
        let result = try change(&value)
        if write(value, version) { return result }
    }
    programmerError(
        rule: "The closure passed to update must not change the subject itself.",
        found: "\(Subject.self), changed in every attempt",
        remedy: "Change the inout value that the closure receives, and send nothing from inside the closure.")
}
