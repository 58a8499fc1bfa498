import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension CurrentValueSubject {
    /// Changes the value in one step that no other change can come into, and publishes it.
    ///
    /// ```
    /// subject   0---1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let counter = CurrentValueSubject<Int, Never>(0)
    /// DispatchQueue.concurrentPerform(iterations: 1000) { _ in counter.update { $0 += 1 } }
    /// print(counter.value)
    /// // 1000
    /// ```
    ///
    /// With `counter.value += 1` two threads may read the same value, and one of the two changes is lost.
    ///
    /// No lock is held while the closure runs. Where another thread changes the value meanwhile, the closure is called
    /// again with the new one, so it has to be short and must do nothing but change the value it is given. One that
    /// changes the subject itself is a programmer's error and traps.
    ///
    /// - **Demand**: as for `send(_:)`.
    /// - **Completion**: after the end the value is changed and not published.
    /// - **Complexity**: one call of the closure for each change that comes between, and one more.
    ///
    /// - Parameter change: Changes a copy of the value. What it throws is thrown on, and nothing is changed.
    /// - Returns: What the closure returned last.
    @discardableResult
    public func update<Result, Thrown: Error>(_ change: (inout Output) throws(Thrown) -> Result) throws(Thrown)
        -> Result
    {
        try changeInOneStep(of: self, read: { self.versioned }, write: { self.change(to: $0, ifStill: $1) }, change)
    }
}

extension Published.Publisher {
    /// Changes the property in one step that no other change can come into.
    ///
    /// ```
    /// $level    0---1---2---3---
    /// ```
    ///
    /// ```swift
    /// final class Meter { @Published var level = 0 }
    /// let meter = Meter()
    /// let level = meter.$level
    /// DispatchQueue.concurrentPerform(iterations: 1000) { _ in level.update { $0 += 1 } }
    /// print(meter.level)
    /// // 1000
    /// ```
    ///
    /// No lock is held while the closure runs. Where another thread sets the property meanwhile, the closure is called
    /// again with the new value, so it has to be short and must do nothing but change the value it is given. One that
    /// sets the property itself is a programmer's error and traps.
    ///
    /// - **Demand**: as for setting the property.
    /// - **Completion**: never comes.
    /// - **Complexity**: one call of the closure for each change that comes between, and one more. The object's
    ///   `objectWillChange` fires once for each call.
    ///
    /// - Parameter change: Changes a copy of the value. What it throws is thrown on, and nothing is changed.
    /// - Returns: What the closure returned last.
    @discardableResult
    public func update<Result, Thrown: Error>(_ change: (inout Value) throws(Thrown) -> Result) throws(Thrown)
        -> Result
    {
        try changeInOneStep(of: self, read: { self.versioned }, write: { self.change(to: $0, ifStill: $1) }, change)
    }
}

/// Reads a value, changes a copy, and writes that if nobody has changed the value meanwhile; otherwise begins anew.
private func changeInOneStep<Subject, Value, Version, Result, Thrown: Error>(
    of subject: Subject, read: () -> (value: Value, version: Version), write: (Value, Version) -> Bool,
    _ change: (inout Value) throws(Thrown) -> Result
) throws(Thrown) -> Result {
    // Each attempt that fails is a change that somebody else has made. So many in a row are not made by other threads,
    // but by the closure.
    for _ in 0..<100_000 {
        var (value, version) = read()
        let result = try change(&value)
        if write(value, version) { return result }
    }
    programmerError(
        rule: "The closure of update must not change what it updates.",
        found: "\(Subject.self), changed in every attempt",
        remedy: "Change the value that the closure is given, and send nothing from inside it.")
}
