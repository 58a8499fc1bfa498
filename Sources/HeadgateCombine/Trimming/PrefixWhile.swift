import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes values on until a closure answers false for the first time, and finishes there.
    ///
    /// ```
    /// self      1---2---5---1---|
    /// prefix    while below 3
    ///           1---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 1].publisher
    ///     .prefix { $0 < 3 }
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes in the place of the first value for which the closure answers false, and cancels
    ///   upstream; or with upstream before that.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func prefix(while predicate: @escaping StreamClosure<Output, Bool>)
        -> Publishers.PrefixWhile<Self>
    {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }

    /// Passes values on until a closure answers false for the first time, and finishes there; where it throws, the
    /// stream fails with that error.
    ///
    /// ```
    /// self       1---2---0---5---|
    /// tryPrefix  while below 3, but no zero
    ///            1---2---x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 5].publisher
    ///     .tryPrefix { number in
    ///         if number == 0 { throw Zero() }
    ///         return number < 3
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: finishes in the place of the first value for which the closure answers false, or fails in the
    ///   place of the one for which it throws, and cancels upstream; or ends with upstream before that.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func tryPrefix(while predicate: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryPrefixWhile<Self>
    {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher up to the first for which a closure answers false.
    public struct PrefixWhile<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first values are passed on.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: StreamClosure<Output, Bool>

        /// Makes the publisher that `prefix(while:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _PrefixWhileStep<Upstream> { _PrefixWhileStep(predicate: predicate) }
    }

    /// A publisher of the values of another publisher up to the first for which a throwing closure answers false.
    public struct TryPrefixWhile<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose first values are passed on.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: ThrowingStreamClosure<Output, Bool>

        /// Makes the publisher that `tryPrefix(while:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _TryPrefixWhileStep<Upstream> {
            _TryPrefixWhileStep(predicate: predicate)
        }
    }
}

extension Publishers.PrefixWhile: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryPrefixWhile: StrictlySendable where Upstream: StrictlySendable {}

/// What `prefix(while:)` does to a value.
@frozen public struct _PrefixWhileStep<Upstream: Publisher>: _NamedStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output) -> Bool

    @inlinable init(predicate: @escaping (Output) -> Bool) { self.predicate = predicate }

    /// `PrefixWhile`.
    @inlinable public static var _name: String { "PrefixWhile" }

    /// Passes the value on, or finishes.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        predicate(input) ? .next(input) : .end(.finished)
    }
}

/// What `tryPrefix(while:)` does to a value.
@frozen public struct _TryPrefixWhileStep<Upstream: Publisher>: _ThrowingStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output) throws -> Bool

    @inlinable init(predicate: @escaping (Output) throws -> Bool) { self.predicate = predicate }

    /// `TryPrefixWhile`.
    @inlinable public static var _name: String { "TryPrefixWhile" }

    /// Passes the value on, or finishes.
    @inlinable public mutating func _attempt(_ input: Output) throws -> _StepResult<Output, any Error> {
        try predicate(input) ? .next(input) : .end(.finished)
    }
}
