import HeadgateEngine

extension Publisher where Failure == Never {
    /// Changes the failure type of a publisher that never fails, to match that of others.
    ///
    /// ```
    /// self            1---2---3---|
    /// setFailureType
    ///                 1---2---3---|
    /// ```
    ///
    /// ```swift
    /// struct Outage: Error {}
    /// let cancellable = (1...2).publisher
    ///     .setFailureType(to: Outage.self)
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // 1
    /// // 2
    /// // finished
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: a value is delivered on the thread on which upstream delivers it.
    /// - **Complexity**: no cost per value. Fused with adjacent operators.
    ///
    /// - Parameter failureType: The new failure type.
    @inlinable public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}

extension Publishers {
    /// A publisher that never fails, with a failure type.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: _StepPublisher where Upstream.Failure == Never {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The upstream publisher, which never fails.
        public let upstream: Upstream

        /// Creates the publisher that `setFailureType(to:)` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Serves a subscriber through this step and those before it.
        @inlinable @inline(__always) public var _stage: _FailureStep<Upstream.Output, Never, Failure> {
            _FailureStep { (_: Never) -> Failure in }
        }

        /// The only value of upstream, if it has one.
        @inlinable public var _soleValue: Output? { upstream._soleValue }

        /// Changes the failure type again.
        @inlinable public func setFailureType<E: Error>(to failure: E.Type) -> Publishers.SetFailureType<Upstream, E> {
            Publishers.SetFailureType<Upstream, E>(upstream: upstream)
        }
    }
}

extension Publishers.SetFailureType: Sendable where Upstream: Sendable {}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}
