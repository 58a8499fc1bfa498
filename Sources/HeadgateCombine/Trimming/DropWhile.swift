import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Leaves out values until a closure answers false for the first time, and passes that one and all others on.
    ///
    /// ```
    /// self      1---2---5---1---|
    /// drop      while below 3
    ///           --------5---1---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 2, 5, 1].publisher
    ///     .drop { $0 < 3 }
    ///     .sink { print($0) }
    /// // 5
    /// // 1
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value, up to the first that is passed on. Fused with the operators
    ///   around it.
    ///
    /// - Parameter predicate: Decides on each value until it answers false. Called on the thread that delivers.
    @inlinable public func drop(while predicate: @escaping StreamClosure<Output, Bool>) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }

    /// Leaves out values until a closure answers false for the first time; where it throws, the stream fails with that
    /// error.
    ///
    /// ```
    /// self      1---2---0---5---|
    /// tryDrop   while below 3, but no zero
    ///           --------x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 2, 0].publisher
    ///     .tryDrop { number in
    ///         if number == 0 { throw Zero() }
    ///         return number < 3
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value, up to the first that is passed on. Fused with the operators
    ///   around it.
    ///
    /// - Parameter predicate: Decides on each value until it answers false. Called on the thread that delivers.
    @inlinable public func tryDrop(while predicate: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryDropWhile<Self>
    {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher from the first on for which a closure answers false.
    public struct DropWhile<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first values are left out.
        public let upstream: Upstream

        /// What decides on each value until it answers false.
        public let predicate: StreamClosure<Output, Bool>

        /// Makes the publisher that `drop(while:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _DropWhileStep<Upstream> { _DropWhileStep(predicate: predicate) }
    }

    /// A publisher of the values of another publisher from the first on for which a throwing closure answers false.
    public struct TryDropWhile<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose first values are left out.
        public let upstream: Upstream

        /// What decides on each value until it answers false.
        public let predicate: ThrowingStreamClosure<Output, Bool>

        /// Makes the publisher that `tryDrop(while:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that asks the closure.
        @inlinable public var _stage: _TryDropWhileStep<Upstream> {
            _TryDropWhileStep(predicate: predicate)
        }
    }
}

extension Publishers.DropWhile: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryDropWhile: StrictlySendable where Upstream: StrictlySendable {}

/// What `drop(while:)` does to a value.
@frozen public struct _DropWhileStep<Upstream: Publisher>: _NamedStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output) -> Bool

    @usableFromInline var isDropping = true

    @inlinable init(predicate: @escaping (Output) -> Bool) { self.predicate = predicate }

    /// `DropWhile`.
    @inlinable public static var _name: String { "DropWhile" }

    /// Passes the value on unless the closure has answered true so far.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        if isDropping, predicate(input) { return .skip }
        isDropping = false
        return .next(input)
    }
}

/// What `tryDrop(while:)` does to a value.
@frozen public struct _TryDropWhileStep<Upstream: Publisher>: _ThrowingStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output) throws -> Bool

    @usableFromInline var isDropping = true

    @inlinable init(predicate: @escaping (Output) throws -> Bool) { self.predicate = predicate }

    /// `TryDropWhile`.
    @inlinable public static var _name: String { "TryDropWhile" }

    /// Passes the value on unless the closure has answered true so far.
    @inlinable public mutating func _attempt(_ input: Output) throws -> _StepResult<Output, any Error> {
        if isDropping, try predicate(input) { return .skip }
        isDropping = false
        return .next(input)
    }
}
