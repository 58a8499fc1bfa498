import HeadgateEngine

extension Publisher {
    /// Publishes arrays of `size` adjacent values, each starting `step` values after the previous one.
    ///
    /// Drops the values at the end that do not fill an array, and those between two arrays if the step is greater than
    /// the size. To keep the rest at the end, use `batch(count:)`, which publishes it in a shorter array.
    ///
    /// ```
    /// self      1---2---3-----4-----5---|
    /// sliding   3
    ///           --------[123]-[234]-[345]|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...6).publisher
    ///     .sliding(3, step: 2)
    ///     .sink { print($0) }
    /// // [1, 2, 3]
    /// // [3, 4, 5]
    /// ```
    ///
    /// - **Demand**: forwarded; one more value is requested for each that completes no array.
    /// - **Completion**: forwarded.
    /// - **Complexity**: linear in the size per array.
    /// - **Threads**: values are delivered on the thread on which upstream delivers.
    ///
    /// - Parameters:
    ///   - size: The number of values in each array: at least one; traps otherwise.
    ///   - step: The distance between the starts of two arrays: at least one; traps otherwise.
    @inlinable public func sliding(
        _ size: Int, step: Int = 1
    ) -> Publishers.Stepped<Self, Steps.Sliding<Output, Failure>> {
        Publishers.Stepped(self, Steps.Sliding(size: size, step: step))
    }

    /// Publishes arrays of `size` adjacent values, one for each value that has enough predecessors.
    ///
    /// ```
    /// self      1---2---3-----4----|
    /// nwise     3
    ///           --------[123]-[234]|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .nwise(3)
    ///     .sink { print($0) }
    /// // [1, 2, 3]
    /// // [2, 3, 4]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `sliding(_:step:)` with a step of one.
    ///
    /// - Parameter size: The number of values in each array: at least one; traps otherwise.
    @inlinable public func nwise(_ size: Int) -> AnyPublisher<[Output], Failure> {
        sliding(size).eraseToAnyPublisher()
    }
}

extension Steps {
    /// What `sliding(_:step:)` does to a value.
    @frozen public struct Sliding<Input, InputFailure: Error>: _Step {
        @usableFromInline let size: Int

        @usableFromInline let step: Int

        /// How many values are still to be dropped.
        @usableFromInline var gap = 0

        /// The buffered values; all of the most recent array, until the next value arrives.
        ///
        /// An array that downstream does not retain is reused.
        @usableFromInline var values: [Input] = []

        @inlinable init(size: Int, step: Int) {
            requireLimit(size, "sliding(_:)")
            requireLimit(step, "sliding(step:)")
            self.size = size
            self.step = step
        }

        /// Processes one value.
        @inlinable public mutating func _receive(_ input: Input, _ forward: ([Input]) -> Void) -> _StepResult {
            if gap > 0 {
                gap -= 1
                return .skip
            }
            if values.count == size {
                if step == 1 {
                    forward(shift(input))
                    return .next
                }
                if !advance() { return .skip }
            }
            values.append(input)
            if values.count < size { return .skip }
            forward(values)
            return .next
        }

        /// Replaces the oldest value with a new one.
        @inlinable mutating func shift(_ input: Input) -> [Input] {
            values.withUnsafeMutableBufferPointer { values in
                for index in 1..<values.count { values[index - 1] = values[index] }
                values[values.count - 1] = input
            }
            return values
        }

        /// Moves from a published array to the start of the next one.
        ///
        /// - Returns: Whether the next value belongs to it.
        @inlinable mutating func advance() -> Bool {
            if step < size {
                values.withUnsafeMutableBufferPointer { values in
                    for index in step..<size { values[index - step] = values[index] }
                }
                values.removeLast(step)
                return true
            }
            values.removeAll(keepingCapacity: true)
            gap = step - size
            if gap == 0 { return true }
            gap -= 1
            return false
        }
    }
}

extension Steps.Sliding: Sendable where Input: Sendable {}

extension Steps.Sliding: CustomReflectable {
    /// The size and the step.
    public var customMirror: Mirror { Mirror(self, children: ["size": size, "step": step]) }
}
