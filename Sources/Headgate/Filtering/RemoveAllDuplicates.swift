import HeadgateCombine
import HeadgateCore
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
        -> Publishers.Step<Self, RememberedValues<Output>, Output>
    {
        step(state: RememberedValues(limit: nil)) { memory, value in memory.insert(value) ? value : nil }
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
    ) -> Publishers.Step<Self, RememberedValues<Output>, Output> {
        if count < 1 {
            programmerError(
                rule: "removeAllDuplicates(rememberingLast:) must remember at least one value.",
                found: "removeAllDuplicates(rememberingLast: \(count))",
                remedy: "Pass a number above zero, or remove the operator.")
        }
        return step(state: RememberedValues(limit: count)) { memory, value in memory.insert(value) ? value : nil }
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
    @preconcurrency @inlinable public func removeAllDuplicates() -> Publishers.Step<Self, [Output], Output> {
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
    ) -> Publishers.Step<Self, [Output], Output> {
        step(state: []) { known, value in
            if known.contains(where: { comparator($0, value) }) { return nil }
            known.append(value)
            return value
        }
    }
}

/// The values that `removeAllDuplicates` has seen: all of them, or the most recent ones.
@preconcurrency public struct RememberedValues<Value: Hashable & SendableMetatype> {
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
    ///
    /// - Returns: Whether the value was not remembered yet.
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
