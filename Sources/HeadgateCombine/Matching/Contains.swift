import HeadgateCore
import HeadgateEngine

extension Publisher where Output: Equatable & StrictlySendableMetatype {
    /// Publishes whether a value is among those of upstream, as soon as that is known.
    ///
    /// ```
    /// self      1---2---3---|
    /// contains  2
    ///           ----(true|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .contains(2)
    ///     .sink { print($0) }
    /// // true
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result, and cancels upstream as soon as it is known; a failure is passed
    ///   on.
    /// - **Complexity**: one comparison a value.
    ///
    /// - Parameter output: The value to look for.
    @inlinable public func contains(_ output: Output) -> Publishers.Contains<Self> {
        Publishers.Contains(upstream: self, output: output)
    }
}

extension Publisher {
    /// Publishes whether a closure answers true for any value, as soon as that is known.
    ///
    /// ```
    /// self      1---2---3---|
    /// contains  even
    ///           ----(true|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .contains { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // true
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result, and cancels upstream as soon as it is known; a failure is passed
    ///   on.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func contains(where predicate: @escaping StreamClosure<Output, Bool>)
        -> Publishers.ContainsWhere<Self>
    {
        Publishers.ContainsWhere(upstream: self, predicate: predicate)
    }

    /// Publishes whether a closure answers true for any value, as soon as that is known; where it throws, the stream
    /// fails with that error.
    ///
    /// ```
    /// self         1---0---2---|
    /// tryContains  even, but no zero
    ///              ----x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 2].publisher
    ///     .tryContains { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the result waits until it has been asked for.
    /// - **Completion**: finishes behind the result, and cancels upstream as soon as it is known; a failure is passed
    ///   on. An error that the closure throws cancels upstream and ends the stream.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func tryContains(
        where predicate: @escaping ThrowingStreamClosure<Output, Bool>
    ) -> Publishers.TryContainsWhere<Self> {
        Publishers.TryContainsWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of whether a value is among those of another publisher.
    public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
        /// Whether the value is there.
        public typealias Output = Bool

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// The value to look for.
        public let output: Upstream.Output

        /// Makes the publisher that `contains(_:)` returns.
        @inlinable public init(upstream: Upstream, output: Upstream.Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = MatchFold<Upstream.Output, Failure>(name: "Contains", decidesOn: true) { [output] in $0 == output
            }
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of whether a closure answers true for any value of another publisher.
    public struct ContainsWhere<Upstream: Publisher>: Publisher {
        /// Whether there is such a value.
        public typealias Output = Bool

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: StreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `contains(where:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = MatchFold<Upstream.Output, Failure>(name: "ContainsWhere", decidesOn: true, predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of whether a throwing closure answers true for any value of another publisher.
    public struct TryContainsWhere<Upstream: Publisher>: Publisher {
        /// Whether there is such a value.
        public typealias Output = Bool

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: ThrowingStreamClosure<Upstream.Output, Bool>

        /// Makes the publisher that `tryContains(where:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Upstream.Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = TryMatchFold<Upstream.Output, Upstream.Failure>(
                name: "TryContainsWhere", decidesOn: true, predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }
}

extension Publishers.Contains: StrictlySendable where Upstream: StrictlySendable, Upstream.Output: StrictlySendable {}

extension Publishers.ContainsWhere: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryContainsWhere: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

/// Waits for the first value for which a closure gives the deciding answer.
///
/// That answer is then the result; the opposite is the result where upstream finishes before.
@usableFromInline struct MatchFold<Input, Failure: Error>: Fold {
    @usableFromInline let name: StaticString

    @usableFromInline let decisive: Bool

    @usableFromInline let predicate: (Input) -> Bool

    @usableFromInline var isDecided = false

    @inlinable init(name: StaticString, decidesOn decisive: Bool, _ predicate: @escaping (Input) -> Bool) {
        self.name = name
        self.decisive = decisive
        self.predicate = predicate
    }

    @inlinable var hasResult: Bool { true }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        isDecided = predicate(input) == decisive
        return isDecided ? .done : .more
    }

    @inlinable func result() -> Bool { isDecided == decisive }
}

/// Waits for the first value for which a throwing closure gives the deciding answer.
@usableFromInline struct TryMatchFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let name: StaticString

    @usableFromInline let decisive: Bool

    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var isDecided = false

    @inlinable init(name: StaticString, decidesOn decisive: Bool, _ predicate: @escaping (Input) throws -> Bool) {
        self.name = name
        self.decisive = decisive
        self.predicate = predicate
    }

    @inlinable var hasResult: Bool { true }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        isDecided = try predicate(input) == decisive
        return isDecided
    }

    @inlinable func result() -> Bool { isDecided == decisive }
}
