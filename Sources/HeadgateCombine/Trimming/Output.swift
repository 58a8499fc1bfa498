import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the first values, so many at the most, and finishes behind the last of them.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// prefix    2
    ///           1---(2|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .prefix(2)
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: passed on as it is; with `prefix(0)` upstream is asked for nothing.
    /// - **Completion**: finishes behind the last of the values, and cancels upstream; or with upstream before that.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter maxLength: The number of values. A negative one is a programmer's error and traps.
    @inlinable public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        if maxLength < 0 {
            programmerError(
                rule: "A number of values can't be negative.", found: "prefix(\(maxLength))",
                remedy: "Use zero for an empty stream.")
        }
        return Publishers.Output(upstream: self, range: 0..<maxLength)
    }

    /// Publishes the values at some positions, counted from zero, and finishes behind the last of them.
    ///
    /// ```
    /// self      a---b---c---d---|
    /// output    1...2
    ///           ----b---(c|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "c", "d"].publisher
    ///     .output(in: 1...2)
    ///     .sink { print($0) }
    /// // b
    /// // c
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value before the first position.
    /// - **Completion**: finishes behind the value at the last position, and cancels upstream; or with upstream before
    ///   that.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter range: The positions. A negative one is a programmer's error and traps.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: Positions()))
    }

    /// Publishes the value at one position, counted from zero, and finishes behind it.
    ///
    /// ```
    /// self      a---b---c---|
    /// output    1
    ///           ----(b|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "b", "c"].publisher
    ///     .output(at: 1)
    ///     .sink { print($0) }
    /// // b
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value before the position.
    /// - **Completion**: finishes behind the value, and cancels upstream; or with upstream before that.
    /// - **Complexity**: constant time a value. Fused with the operators around it.
    ///
    /// - Parameter index: The position. A negative one is a programmer's error and traps.
    @inlinable public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index...index)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher at some positions.
    public struct Output<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are counted.
        public let upstream: Upstream

        /// The positions, counted from zero.
        public let range: CountableRange<Int>

        /// Makes the publisher that `output(in:)` returns.
        @inlinable public init(upstream: Upstream, range: CountableRange<Int>) {
            if range.lowerBound < 0 {
                programmerError(
                    rule: "Positions are counted from zero and can't be negative.", found: "\(range)",
                    remedy: "Begin the range at zero or later.")
            }
            self.upstream = upstream
            self.range = range
        }

        /// The step that counts.
        @inlinable public var _stage: _OutputStep<Upstream> { _OutputStep(range: range) }
    }
}

extension Publishers.Output: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Output: Equatable where Upstream: Equatable {}

/// What `prefix` and `output` do to a value.
@frozen public struct _OutputStep<Upstream: Publisher>: _NamedStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline var toSkip: Int

    @usableFromInline var toPass: Int

    @inlinable init(range: Range<Int>) {
        toSkip = range.lowerBound
        toPass = range.count
    }

    /// `Output`.
    @inlinable public static var _name: String { "Output" }

    /// Whether there is no position at all.
    @inlinable public var _hasEnded: Bool { toPass == 0 }

    /// Passes the value on if it is at one of the positions.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        if toSkip > 0 {
            toSkip -= 1
            return .skip
        }
        toPass -= 1
        if toPass > 0 { return .next(input) }
        return toPass == 0 ? .last(input) : .end(.finished)
    }
}

/// All positions of a stream, for ranges that leave out an end; nothing is behind the last, so that none overflows.
@usableFromInline struct Positions: Collection {
    @inlinable init() {}

    @inlinable var startIndex: Int { 0 }

    @inlinable var endIndex: Int { .max }

    @inlinable func index(after position: Int) -> Int { position == .max ? position : position + 1 }

    @inlinable subscript(position: Int) -> Int { position }
}
