import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Leaves out the first values, and passes the others on.
    ///
    /// ```
    /// self       1---2---3---4---|
    /// dropFirst  2
    ///            --------3---4---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .dropFirst(2)
    ///     .sink { print($0) }
    /// // 3
    /// // 4
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter count: The number of values to leave out. A negative one is a programmer's error and traps.
    @inlinable public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        Publishers.Drop(upstream: self, count: count)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher but the first ones.
    public struct Drop<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first values are left out.
        public let upstream: Upstream

        /// The number of values to leave out.
        public let count: Int

        /// Makes the publisher that `dropFirst(_:)` returns.
        @inlinable public init(upstream: Upstream, count: Int) {
            if count < 0 {
                programmerError(
                    rule: "A number of values can't be negative.", found: "dropFirst(\(count))",
                    remedy: "Use zero to leave out nothing.")
            }
            self.upstream = upstream
            self.count = count
        }

        /// The step that counts.
        @inlinable public var _stage: _DropStep<Upstream> { _DropStep(count: count) }
    }
}

extension Publishers.Drop: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

/// What `dropFirst` does to a value.
@frozen public struct _DropStep<Upstream: Publisher>: _NamedStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline var toSkip: Int

    @inlinable init(count: Int) { toSkip = count }

    /// `Drop`.
    @inlinable public static var _name: String { "Drop" }

    /// Passes the value on if enough have been left out.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        if toSkip == 0 { return .next(input) }
        toSkip -= 1
        return .skip
    }
}
