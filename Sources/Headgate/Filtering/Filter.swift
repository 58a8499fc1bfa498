import HeadgateCore

extension Publisher {
    /// Publishes the values for which a closure answers true.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// filter    even
    ///           ----2-------4---|
    /// ```
    ///
    /// ```swift
    /// (1...4).publisher
    ///     .filter { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // 2
    /// // 4
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter isIncluded: Decides on each value. Called on the thread that delivers.
    @inlinable
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }
}

extension Publishers {
    /// A publisher of those values of another publisher for which a closure answers true.
    public struct Filter<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// What decides on each value.
        public let isIncluded: (Upstream.Output) -> Bool

        /// Makes the publisher that `filter(_:)` returns.
        @inlinable
        public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// The step that asks the closure.
        @inlinable
        public var _stage: _FilterStep<Output, Failure> { _FilterStep(isIncluded: isIncluded) }
    }
}

/// What `filter` does to a value.
@frozen
public struct _FilterStep<Output, Failure: Error>: _PassingStep {
    @usableFromInline
    let isIncluded: (Output) -> Bool

    @inlinable
    init(isIncluded: @escaping (Output) -> Bool) { self.isIncluded = isIncluded }

    /// Passes the value on if the closure says so.
    @inlinable
    public mutating func _receive(_ input: Output) -> _StepResult<Output, Failure> {
        isIncluded(input) ? .next(input) : .skip
    }
}
