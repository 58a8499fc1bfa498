import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes arrays of so many neighbouring values, each beginning so many values after the one before.
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
    /// Every array is full: values at the end that are too few for one are not published. Where the step is greater than
    /// the size, the values in between are left out.
    ///
    /// - **Demand**: passed on as it is, and one more is requested for each value that completes no array.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: a time in proportion to the size per array.
    ///
    /// - Parameters:
    ///   - size: The number of values in each array: at least one, or it is a programmer's error and traps.
    ///   - step: How many values after the beginning of an array the next one begins: at least one, or it traps.
    @inlinable public func sliding(_ size: Int, step: Int = 1) -> Publishers.Sliding<Self> {
        Publishers.Sliding(upstream: self, size: size, step: step)
    }

    /// Publishes arrays of so many neighbouring values, one for each value from the first on that has enough before it.
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
    /// **Demand**, **Completion** and **Complexity** are those of `sliding(_:step:)` with a step of one.
    ///
    /// - Parameter size: The number of values in each array: at least one, or it is a programmer's error and traps.
    @inlinable public func nwise(_ size: Int) -> AnyPublisher<[Output], Failure> where Self: StrictlySendable {
        sliding(size).eraseToAnyPublisher()
    }
}

extension Publishers {
    /// A publisher of arrays of neighbouring values of another publisher.
    public struct Sliding<Upstream: Publisher>: _StepPublisher {
        /// An array of values of upstream.
        public typealias Output = [Upstream.Output]

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are put together.
        public let upstream: Upstream

        /// The number of values in each array.
        public let size: Int

        /// How many values after the beginning of an array the next one begins.
        public let step: Int

        /// Makes the publisher that `sliding(_:step:)` returns.
        @inlinable public init(upstream: Upstream, size: Int, step: Int) {
            requireLimit(size, "sliding(_:)")
            requireLimit(step, "sliding(step:)")
            self.upstream = upstream
            self.size = size
            self.step = step
        }

        /// The step that keeps the last values.
        @inlinable public var _stage: _SlidingStep<Upstream.Output, Failure> { _SlidingStep(size: size, step: step) }
    }
}

extension Publishers.Sliding: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Sliding: Equatable where Upstream: Equatable {}

/// What `sliding` does to a value.
@frozen public struct _SlidingStep<Input, Failure: Error>: _PassingStep {
    @usableFromInline let size: Int

    @usableFromInline let step: Int

    /// How many values are still to be left out.
    @usableFromInline var gap = 0

    /// The values that are kept; all of the last array, until the value after it has come.
    ///
    /// An array that downstream has not kept is used again.
    @usableFromInline var values: [Input] = []

    @inlinable init(size: Int, step: Int) {
        self.size = size
        self.step = step
    }

    /// Adds it to the values that are kept, and publishes these if they are enough.
    @inlinable public mutating func _receive(_ input: Input) -> _StepResult<[Input], Failure> {
        if gap > 0 {
            gap -= 1
            return .skip
        }
        if values.count == size {
            if step == 1 { return .next(shift(input)) }
            if !advance() { return .skip }
        }
        values.append(input)
        return values.count < size ? .skip : .next(values)
    }

    /// Drops the oldest value for a new one.
    @inlinable mutating func shift(_ input: Input) -> [Input] {
        values.withUnsafeMutableBufferPointer { values in
            for index in 1..<values.count { values[index - 1] = values[index] }
            values[values.count - 1] = input
        }
        return values
    }

    /// Goes on from an array that has been published to where the next one begins.
    ///
    /// - Returns: Whether the next value is in it.
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
