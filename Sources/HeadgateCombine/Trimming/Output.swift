import HeadgateEngine

extension Publisher {
    /// Publishes at most the first `maxLength` values, then finishes.
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
    /// - **Demand**: forwarded unchanged; with `prefix(0)`, nothing is requested from upstream.
    /// - **Completion**: finishes after the last of the values, and cancels upstream; completes with upstream before
    ///   that.
    /// - **Threads**: upstream's: the values and the end are delivered on the thread on which upstream delivers the
    ///   values.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter maxLength: The number of values. A negative number traps.
    @inlinable public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        require(
            maxLength >= 0, rule: "A number of values can't be negative.", found: "prefix(\(maxLength))",
            remedy: "Use zero for an empty stream.")
        return Publishers.Output(upstream: self, range: 0..<maxLength)
    }

    /// Publishes the values in a range of positions, counted from zero, then finishes.
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
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one before the first position.
    /// - **Completion**: finishes after the value at the last position, and cancels upstream; completes with upstream
    ///   before that.
    /// - **Threads**: upstream's: the values and the end are delivered on the thread on which upstream delivers the
    ///   values.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter range: The positions. A negative position traps.
    @inlinable public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: Positions()))
    }

    /// Publishes the value at a position, counted from zero, then finishes.
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
    /// - **Demand**: forwarded, and one more value is requested from upstream for each one before the position.
    /// - **Completion**: finishes after the value, and cancels upstream; completes with upstream before that.
    /// - **Threads**: upstream's: the value and the end are delivered on the thread on which upstream delivers the
    ///   value.
    /// - **Complexity**: constant time per value. Fused with adjacent operators.
    ///
    /// - Parameter index: The position. A negative position traps.
    @inlinable public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index...index)
    }
}

extension Publishers {
    /// A publisher of upstream's values in a range of positions.
    public struct Output<Upstream: Publisher>: _StepPublisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The positions, counted from zero.
        public let range: CountableRange<Int>

        /// Creates the publisher that `output(in:)` returns.
        @inlinable public init(upstream: Upstream, range: CountableRange<Int>) {
            require(
                range.lowerBound >= 0, rule: "Positions start at zero and can't be negative.", found: "\(range)",
                remedy: "Start the range at zero or later.")
            self.upstream = upstream
            self.range = range
        }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _OutputStep<Upstream.Output, Upstream.Failure> {
            _OutputStep(range: range)
        }

        /// Attaches the subscriber upstream; where there is no position to publish, the stream ends with its subscription.
        @inlinable public func _receive(atRoot subscriber: some Subscriber<_Steps.Input, _Steps.InputFailure>) {
            if range.isEmpty { endAtOnce(subscriber) } else { upstream._receive(atRoot: subscriber) }
        }

        /// Cancels upstream, and completes the subscriber instead.
        // Never specialised: or else the compiler would make all of the run before this once more, for what is hardly ever called.
        @_semantics("optimize.sil.specialize.generic.never")
        @usableFromInline @inline(never) func endAtOnce(
            _ subscriber: some Subscriber<_Steps.Input, _Steps.InputFailure>
        ) {
            upstream._receive(
                atRoot: AnySubscriber(
                    receiveSubscription: serially { subscription in
                        subscription.cancel()
                        subscriber.complete(with: .finished)
                    },
                    receiveCompletion: serially { Undeliverable.note($0) }))
        }
    }
}

extension Publishers.Output: Sendable where Upstream: Sendable {}

extension Publishers.Output: Equatable where Upstream: Equatable {}

/// What `prefix` and `output` do to a value.
@frozen public struct _OutputStep<Input, InputFailure: Error>: _Step {
    @usableFromInline var toSkip: Int

    @usableFromInline var toPass: Int

    @inlinable init(range: Range<Int>) {
        toSkip = range.lowerBound
        toPass = range.count
    }

    /// The name of the subscription, where the step may end the stream.
    @inlinable public static var _name: String? { "Output" }

    /// Processes one value.
    @inlinable public mutating func _receive(_ input: Input, _ forward: (Input) -> Void) -> _StepResult {
        if toSkip > 0 {
            toSkip -= 1
            return .skip
        }
        toPass -= 1
        let result: _StepResult = toPass > 0 ? .next : .last
        forward(input)
        return result
    }
}

/// All positions of a stream, for ranges without an upper bound; nothing follows the last one, so none overflows.
@usableFromInline struct Positions: Collection {
    @inlinable init() {}

    @inlinable var startIndex: Int { 0 }

    @inlinable var endIndex: Int { .max }

    @inlinable func index(after position: Int) -> Int { position == .max ? position : position + 1 }

    @inlinable subscript(position: Int) -> Int { position }
}
