import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the values that are not the same as the one before, as a closure sees it.
    ///
    /// ```
    /// self              a---A---b---B---a---|
    /// removeDuplicates  ignoring case
    ///                   a-------b-------a---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = ["a", "A", "b"].publisher
    ///     .removeDuplicates { $0.lowercased() == $1.lowercased() }
    ///     .sink { print($0) }
    /// // a
    /// // b
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter predicate: Tells of two values that follow each other whether they are the same. Called on the
    ///   thread that delivers.
    @inlinable public func removeDuplicates(
        by predicate: @escaping StreamClosure<Output, Output, Bool>
    ) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Publishes the values that are not the same as the one before, as a closure sees it; where it throws, the stream
    /// fails with that error.
    ///
    /// ```
    /// self                 1---1---2---0---|
    /// tryRemoveDuplicates  no zero
    ///                      1-------2---x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 1, 2, 0].publisher
    ///     .tryRemoveDuplicates { last, next in
    ///         if next == 0 { throw Zero() }
    ///         return last == next
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value. Fused with the operators around it.
    ///
    /// - Parameter predicate: Tells of two values that follow each other whether they are the same. Called on the
    ///   thread that delivers.
    @inlinable public func tryRemoveDuplicates(
        by predicate: @escaping ThrowingStreamClosure<Output, Output, Bool>
    ) -> Publishers.TryRemoveDuplicates<Self> {
        Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
    }
}

extension Publisher where Output: Equatable & StrictlySendableMetatype {
    /// Publishes the values that are not equal to the one before.
    ///
    /// ```
    /// self              1---1---2---2---1---|
    /// removeDuplicates
    ///                   1-------2-------1---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [1, 1, 2, 2, 1].publisher
    ///     .removeDuplicates()
    ///     .sink { print($0) }
    /// // 1
    /// // 2
    /// // 1
    /// ```
    ///
    /// - **Demand**: passed on as it is, and one more is asked of upstream for every value that is left out.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: one comparison a value. Fused with the operators around it.
    @inlinable public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
        removeDuplicates(by: ==)
    }
}

extension Publishers {
    /// A publisher of the values of another publisher that are not the same as the one before.
    public struct RemoveDuplicates<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// What tells whether two values are the same.
        public let predicate: StreamClosure<Output, Output, Bool>

        /// Makes the publisher that `removeDuplicates(by:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Output, Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that remembers the last value.
        @inlinable public var _stage: _RemoveDuplicatesStep<Upstream> {
            _RemoveDuplicatesStep(predicate: predicate)
        }
    }

    /// A publisher of the values of another publisher that a throwing closure does not find the same as the one before.
    public struct TryRemoveDuplicates<Upstream: Publisher>: _StepPublisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are chosen from.
        public let upstream: Upstream

        /// What tells whether two values are the same.
        public let predicate: ThrowingStreamClosure<Output, Output, Bool>

        /// Makes the publisher that `tryRemoveDuplicates(by:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Output, Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// The step that remembers the last value.
        @inlinable public var _stage: _TryRemoveDuplicatesStep<Upstream> {
            _TryRemoveDuplicatesStep(predicate: predicate)
        }
    }
}

extension Publishers.RemoveDuplicates: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryRemoveDuplicates: StrictlySendable where Upstream: StrictlySendable {}

/// What `removeDuplicates` does to a value.
@frozen public struct _RemoveDuplicatesStep<Upstream: Publisher>: _NamedStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output, Output) -> Bool

    @usableFromInline var last: Output?

    @inlinable init(predicate: @escaping (Output, Output) -> Bool) { self.predicate = predicate }

    /// `RemoveDuplicates`.
    @inlinable public static var _name: String { "RemoveDuplicates" }

    /// Passes the value on unless it is the same as the last.
    @inlinable public mutating func _receive(_ input: Output) -> _StepResult<Output, Upstream.Failure> {
        defer { last = input }
        if let last, predicate(last, input) { return .skip }
        return .next(input)
    }
}

/// What `tryRemoveDuplicates` does to a value.
@frozen public struct _TryRemoveDuplicatesStep<Upstream: Publisher>: _ThrowingStep, _UpstreamStep {
    /// The values of upstream.
    public typealias Output = Upstream.Output

    @usableFromInline let predicate: (Output, Output) throws -> Bool

    @usableFromInline var last: Output?

    @inlinable init(predicate: @escaping (Output, Output) throws -> Bool) { self.predicate = predicate }

    /// `TryRemoveDuplicates`.
    @inlinable public static var _name: String { "TryRemoveDuplicates" }

    /// Passes the value on unless it is the same as the last.
    @inlinable public mutating func _attempt(_ input: Output) throws -> _StepResult<Output, any Error> {
        defer { last = input }
        if let last, try predicate(last, input) { return .skip }
        return .next(input)
    }
}
