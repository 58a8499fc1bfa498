import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: Hashable {
    /// Leaves out each value that has come before, whenever that was.
    ///
    /// ```
    /// self       1---2---1---3---2---|
    /// remove…
    ///            1---2-------3-------|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 1, 3, 2].publisher
    ///     .removeAllDuplicates()
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3]
    /// ```
    ///
    /// Every value is remembered for as long as the stream goes on. For an endless one, use
    /// ``removeAllDuplicates(rememberingLast:)``. Each subscriber has a memory of its own.
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value on average; memory for each different value.
    @inlinable public func removeAllDuplicates() -> Publishers.RemoveAllDuplicates<Self, RememberedValues<Output>> {
        Publishers.RemoveAllDuplicates(upstream: self, memory: RememberedValues(limit: nil))
    }

    /// Leaves out each value that is among the last different ones that were passed on.
    ///
    /// ```swift
    /// let cancellable = [1, 1, 2, 3, 1].publisher
    ///     .removeAllDuplicates(rememberingLast: 2)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3, 1]
    /// ```
    ///
    /// **Demand** and **Completion** are those of `removeAllDuplicates()`. **Complexity**: constant time a value on average,
    /// and memory for `count` values.
    ///
    /// - Parameter count: How many values are remembered: at least one, or it traps.
    @inlinable public func removeAllDuplicates(
        rememberingLast count: Int
    ) -> Publishers.RemoveAllDuplicates<Self, RememberedValues<Output>> {
        if count < 1 {
            programmerError(
                rule: "A memory for values holds one at the least.",
                found: "removeAllDuplicates(rememberingLast: \(count))",
                remedy: "Pass a number above zero, or leave the operator out.")
        }
        return Publishers.RemoveAllDuplicates(upstream: self, memory: RememberedValues(limit: count))
    }
}

extension Publisher where Output: Equatable & StrictlySendableMetatype {
    /// Leaves out each value that has come before, whenever that was.
    ///
    /// ```swift
    /// struct Point: Equatable { let x: Int }
    /// let cancellable = [Point(x: 1), Point(x: 2), Point(x: 1)].publisher
    ///     .removeAllDuplicates()
    ///     .collect()
    ///     .sink { print($0.map(\.x)) }
    /// // [1, 2]
    /// ```
    ///
    /// **Demand** and **Completion** are those of the operator for values that can be hashed. **Complexity**: each value is
    /// compared with every different one before it.
    @_disfavoredOverload
    @inlinable public func removeAllDuplicates() -> Publishers.RemoveAllDuplicates<Self, ComparedValues<Output>> {
        removeAllDuplicates(by: ==)
    }
}

extension Publisher {
    /// Leaves out each value that a closure takes for the same as one that has come before.
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "A"].publisher
    ///     .removeAllDuplicates { $0.lowercased() == $1.lowercased() }
    ///     .collect()
    ///     .sink { print($0) }
    /// // ["a", "b"]
    /// ```
    ///
    /// **Demand** and **Completion** are those of the operator for values that can be hashed. **Complexity**: each value is
    /// compared with every different one before it.
    ///
    /// - Parameter comparator: Whether two values are the same.
    @inlinable public func removeAllDuplicates(
        by comparator: @escaping StreamClosure<Output, Output, Bool>
    ) -> Publishers.RemoveAllDuplicates<Self, ComparedValues<Output>> {
        Publishers.RemoveAllDuplicates(upstream: self, memory: ComparedValues(by: comparator))
    }
}

/// What has come, for `removeAllDuplicates` to look up.
public protocol DuplicateMemory {
    /// The kind of values.
    associatedtype Value

    /// Remembers a value.
    ///
    /// - Returns: Whether it was not remembered before.
    mutating func insert(_ value: Value) -> Bool
}

/// Values that can be hashed: all of them, or the last.
public struct RememberedValues<Value: Hashable>: DuplicateMemory {
    @usableFromInline var known: Set<Value> = []

    // In the order in which they came, where that matters.
    @usableFromInline var order: [Value] = []

    @usableFromInline var oldest = 0

    @usableFromInline let limit: Int?

    /// Remembers nothing yet.
    ///
    /// - Parameter limit: How many values are remembered; `nil` for all.
    @inlinable public init(limit: Int?) { self.limit = limit }

    /// Remembers a value, and forgets the oldest where there are too many.
    @inlinable public mutating func insert(_ value: Value) -> Bool {
        guard known.insert(value).inserted else { return false }
        guard let limit else { return true }
        if order.count < limit {
            order.append(value)
        } else {
            known.remove(order[oldest])
            order[oldest] = value
            oldest = (oldest + 1) % limit
        }
        return true
    }
}

/// Values that can only be compared.
public struct ComparedValues<Value>: DuplicateMemory {
    @usableFromInline var known: [Value] = []

    @usableFromInline let isSame: StreamClosure<Value, Value, Bool>

    /// Remembers nothing yet.
    ///
    /// - Parameter isSame: Whether two values are the same.
    @inlinable public init(by isSame: @escaping StreamClosure<Value, Value, Bool>) { self.isSame = isSame }

    /// Remembers a value.
    @inlinable public mutating func insert(_ value: Value) -> Bool {
        if known.contains(where: { isSame($0, value) }) { return false }
        known.append(value)
        return true
    }
}

extension Publishers {
    /// A publisher of the values of another one that have not come before.
    public struct RemoveAllDuplicates<Upstream: Publisher, Memory: DuplicateMemory>: _StepPublisher
    where Memory.Value == Upstream.Output {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What a subscriber begins with.
        public let memory: Memory

        /// Makes the publisher that `removeAllDuplicates()` returns.
        @inlinable public init(upstream: Upstream, memory: Memory) {
            self.upstream = upstream
            self.memory = memory
        }

        /// The step that looks a value up.
        @inlinable public var _stage: _RemoveAllDuplicatesStep<Memory, Failure> { _RemoveAllDuplicatesStep(memory) }
    }
}

extension Publishers.RemoveAllDuplicates: StrictlySendable where Upstream: StrictlySendable, Memory: StrictlySendable {}

/// What `removeAllDuplicates()` does to a value.
@frozen public struct _RemoveAllDuplicatesStep<Memory: DuplicateMemory, InputFailure: Error>: _PassingStep {
    /// Failures go on as they are.
    public typealias OutputFailure = InputFailure

    @usableFromInline var memory: Memory

    @inlinable init(_ memory: Memory) { self.memory = memory }

    /// Passes the value on, unless it has come before.
    @inlinable public mutating func _receive(_ input: Memory.Value) -> _StepResult<Memory.Value, InputFailure> {
        memory.insert(input) ? .next(input) : .skip
    }
}
