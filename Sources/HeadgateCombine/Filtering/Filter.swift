import HeadgateCore
import HeadgateEngine

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
    @inlinable public func filter(_ isIncluded: @escaping StreamClosure<Output, Bool>) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }

    /// Publishes the values for which a closure answers true; where it throws, the stream fails with that error.
    ///
    /// ```
    /// self       1---2---3---0---4---|
    /// tryFilter  even
    ///            ----2-------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// [1, 2, 0].publisher
    ///     .tryFilter { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 2
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter isIncluded: Decides on each value. Called on the thread that delivers.
    @inlinable public func tryFilter(_ isIncluded: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryFilter<Self>
    {
        Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
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
        public let isIncluded: StreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `filter(_:)` returns.
        @inlinable public init(upstream: Upstream, isIncluded: @escaping StreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _FilterStep<Upstream> { _FilterStep(isIncluded: isIncluded) }
    }
}

extension Publishers.Filter: StrictlySendable where Upstream: StrictlySendable {}

/// What `filter` does to a value.
@frozen public struct _FilterStep<Upstream: Publisher>: _PassingStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let isIncluded: (Output) -> Bool

    @inlinable init(isIncluded: @escaping (Output) -> Bool) { self.isIncluded = isIncluded }

    /// Passes the value on if the closure says so.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        isIncluded(input) ? .next(input) : .skip
    }
}

extension Publishers {
    /// A publisher of those values of another publisher for which a throwing closure answers true.
    public struct TryFilter<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// What decides on each value.
        public let isIncluded: ThrowingStreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `tryFilter(_:)` returns.
        @inlinable public init(upstream: Upstream, isIncluded: @escaping ThrowingStreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _TryFilterStep<Upstream> {
            _TryFilterStep(isIncluded: isIncluded)
        }
    }
}

extension Publishers.TryFilter: StrictlySendable where Upstream: StrictlySendable {}

/// What `tryFilter` does to a value.
@frozen public struct _TryFilterStep<Upstream: Publisher>: _ThrowingStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let isIncluded: (Output) throws -> Bool

    @inlinable init(isIncluded: @escaping (Output) throws -> Bool) { self.isIncluded = isIncluded }

    /// `TryFilter`.
    @inlinable public static var _name: String { "TryFilter" }

    /// Passes the value on if the closure says so.
    @inlinable public mutating func _attempt(_ input: Output) throws -> _StepResult<Output, any Error> {
        try isIncluded(input) ? .next(input) : .skip
    }
}

extension Publishers.Filter {
    /// Publishes the values for which both closures answer true; the second is asked where the first does.
    @inlinable @_disfavoredOverload public func filter(_ isIncluded: @escaping StreamClosure<Output, Bool>)
        -> Publishers.Filter<Upstream>
    {
        Publishers.Filter(upstream: upstream) { [first = self.isIncluded] in first($0) && isIncluded($0) }
    }

    /// Publishes the values for which both closures answer true; the second is asked where the first does.
    @inlinable @_disfavoredOverload public func tryFilter(_ isIncluded: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryFilter<Upstream>
    {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }
}

extension Publishers.TryFilter {
    /// Publishes the values for which both closures answer true; the second is asked where the first does.
    @inlinable @_disfavoredOverload public func filter(_ isIncluded: @escaping StreamClosure<Output, Bool>)
        -> Publishers.TryFilter<Upstream>
    {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }

    /// Publishes the values for which both closures answer true; the second is asked where the first does.
    @inlinable @_disfavoredOverload public func tryFilter(_ isIncluded: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryFilter<Upstream>
    {
        Publishers.TryFilter(upstream: upstream) { [first = self.isIncluded] in try first($0) && isIncluded($0) }
    }
}
