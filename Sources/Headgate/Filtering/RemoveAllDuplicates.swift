import HeadgateEngine

extension Publisher where Output: Hashable & SendableMetatype {
    /// Drops each value that has been published before.
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
    /// Every value is remembered for the lifetime of the subscription. For an endless stream, use
    /// ``removeAllDuplicates(rememberingLast:)``. Each subscriber has its own memory.
    ///
    /// - **Demand**: forwarded; one more value is requested for each dropped one.
    /// - **Completion**: forwarded.
    /// - **Complexity**: constant time per value on average; memory for each distinct value.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    @preconcurrency @inlinable public func removeAllDuplicates()
        -> Publishers.Stepped<Self, Steps.RemoveAllDuplicates<RememberedValues<Output>, Failure>>
    {
        Publishers.Stepped(self, Steps.RemoveAllDuplicates(RememberedValues(limit: nil)))
    }

    /// Drops each value that is among the most recent distinct values that were forwarded.
    ///
    /// ```swift
    /// let cancellable = [1, 1, 2, 3, 1].publisher
    ///     .removeAllDuplicates(rememberingLast: 2)
    ///     .collect()
    ///     .sink { print($0) }
    /// // [1, 2, 3, 1]
    /// ```
    ///
    /// **Demand**, **Completion** and **Threads** are those of `removeAllDuplicates()`. **Complexity**: constant time
    /// per value on average, and memory for `count` values.
    ///
    /// - Parameter count: How many values are remembered: at least one; traps otherwise.
    @preconcurrency @inlinable public func removeAllDuplicates(
        rememberingLast count: Int
    ) -> Publishers.Stepped<Self, Steps.RemoveAllDuplicates<RememberedValues<Output>, Failure>> {
        require(
            count > 0, rule: "removeAllDuplicates(rememberingLast:) must remember at least one value.",
            found: "removeAllDuplicates(rememberingLast: \(count))",
            remedy: "Pass a number above zero, or remove the operator.")
        return Publishers.Stepped(self, Steps.RemoveAllDuplicates(RememberedValues(limit: count)))
    }
}

extension Publisher where Output: Equatable & SendableMetatype {
    /// Drops each value that has been published before.
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
    /// **Demand**, **Completion** and **Threads** are those of the operator for hashable values. **Complexity**: each
    /// value is compared with every distinct value before it.
    @_disfavoredOverload
    @preconcurrency @inlinable public func removeAllDuplicates()
        -> Publishers.Stepped<Self, Steps.RemoveAllDuplicates<ComparedValues<Output>, Failure>>
    {
        removeAllDuplicates(by: ==)
    }
}

extension Publisher {
    /// Drops each value that a closure considers equal to one that has been published before.
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "A"].publisher
    ///     .removeAllDuplicates { $0.lowercased() == $1.lowercased() }
    ///     .collect()
    ///     .sink { print($0) }
    /// // ["a", "b"]
    /// ```
    ///
    /// **Demand**, **Completion** and **Threads** are those of the operator for hashable values. **Complexity**: each
    /// value is compared with every distinct value before it.
    ///
    /// - Parameter comparator: Whether two values are the same.
    @preconcurrency @inlinable public func removeAllDuplicates(
        by comparator: @escaping @Sendable (Output, Output) -> Bool
    ) -> Publishers.Stepped<Self, Steps.RemoveAllDuplicates<ComparedValues<Output>, Failure>> {
        Publishers.Stepped(self, Steps.RemoveAllDuplicates(ComparedValues(by: comparator)))
    }
}

/// The values that `removeAllDuplicates` has seen.
public protocol DuplicateMemory: SendableMetatype {
    /// The type of the values.
    associatedtype Value

    /// Remembers a value.
    ///
    /// - Returns: Whether the value was not remembered yet.
    mutating func insert(_ value: Value) -> Bool
}

/// Hashable values: all of them, or the most recent ones.
@preconcurrency public struct RememberedValues<Value: Hashable & SendableMetatype>: DuplicateMemory {
    @usableFromInline var known: Set<Value> = []

    // In order of arrival, where a limit needs it.
    @usableFromInline var order: [Value] = []

    @usableFromInline var oldest = 0

    @usableFromInline let limit: Int?

    /// Creates an empty memory.
    ///
    /// - Parameter limit: How many values are remembered; `nil` for all.
    @inlinable public init(limit: Int?) { self.limit = limit }

    /// Remembers a value, and forgets the oldest if the limit is exceeded.
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

extension RememberedValues: Sendable where Value: Sendable {}

/// Values that can only be compared for equality.
public struct ComparedValues<Value>: DuplicateMemory {
    @usableFromInline var known: [Value] = []

    @usableFromInline let isSame: @Sendable (Value, Value) -> Bool

    /// Creates an empty memory.
    ///
    /// - Parameter isSame: Whether two values are the same.
    @preconcurrency @inlinable public init(by isSame: @escaping @Sendable (Value, Value) -> Bool) {
        self.isSame = isSame
    }

    /// Remembers a value.
    @inlinable public mutating func insert(_ value: Value) -> Bool {
        if known.contains(where: { isSame($0, value) }) { return false }
        known.append(value)
        return true
    }
}

extension ComparedValues: Sendable where Value: Sendable {}

extension Steps {
    /// What `removeAllDuplicates()` does to a value.
    @frozen public struct RemoveAllDuplicates<Memory: DuplicateMemory, InputFailure: Error>: _Step {
        /// The type of error that the stream may fail with after this step.
        public typealias OutputFailure = InputFailure

        @usableFromInline var memory: Memory

        @inlinable init(_ memory: Memory) { self.memory = memory }

        /// Processes one value.
        @inlinable public mutating func _receive(
            _ input: Memory.Value, _ forward: (Memory.Value) -> Void
        ) -> _StepResult {
            if !memory.insert(input) { return .skip }
            forward(input)
            return .next
        }
    }
}

extension Steps.RemoveAllDuplicates: Sendable where Memory: Sendable {}
