import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the first value, and finishes behind it.
    ///
    /// ```
    /// self      --1---2---3---|
    /// first
    ///           --(1|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...3).publisher
    ///     .first()
    ///     .sink { print($0) }
    /// // 1
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the value waits until it has been asked for.
    /// - **Completion**: finishes behind the value, and cancels upstream as soon as it has come; or with upstream,
    ///   where there is no value.
    /// - **Complexity**: constant time.
    @inlinable public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }

    /// Publishes the first value for which a closure answers true, and finishes behind it.
    ///
    /// ```
    /// self      1---2---3---4---|
    /// first     even
    ///           ----(2|)
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...4).publisher
    ///     .first { $0.isMultiple(of: 2) }
    ///     .sink { print($0) }
    /// // 2
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the value waits until it has been asked for.
    /// - **Completion**: finishes behind the value, and cancels upstream as soon as it has come; or with upstream,
    ///   where there is no such value.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func first(where predicate: @escaping StreamClosure<Output, Bool>) -> Publishers.FirstWhere<Self>
    {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }

    /// Publishes the first value for which a closure answers true, and finishes behind it; where the closure throws,
    /// the stream fails with that error.
    ///
    /// ```
    /// self      1---0---2---|
    /// tryFirst  even, but no zero
    ///           ----x
    /// ```
    ///
    /// ```swift
    /// struct Zero: Error {}
    /// let cancellable = [1, 0, 2].publisher
    ///     .tryFirst { number in
    ///         if number == 0 { throw Zero() }
    ///         return number.isMultiple(of: 2)
    ///     }
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // failure(main.Zero())
    /// ```
    ///
    /// - **Demand**: upstream is asked for everything at once; the value waits until it has been asked for.
    /// - **Completion**: finishes behind the value, or fails with what the closure throws, and cancels upstream as soon
    ///   as that has happened; or ends with upstream before that.
    /// - **Complexity**: one call of the closure a value.
    ///
    /// - Parameter predicate: Decides on each value. Called on the thread that delivers.
    @inlinable public func tryFirst(where predicate: @escaping ThrowingStreamClosure<Output, Bool>)
        -> Publishers.TryFirstWhere<Self>
    {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
    }
}

extension Publishers {
    /// A publisher of the first value of another publisher.
    public struct First<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose first value is published.
        public let upstream: Upstream

        /// Makes the publisher that `first()` returns.
        @inlinable public init(upstream: Upstream) { self.upstream = upstream }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = FirstFold<Output, Failure>(name: "First") { _ in true }
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of the first value of another publisher for which a closure answers true.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: StreamClosure<Output, Bool>

        /// Makes the publisher that `first(where:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping StreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = FirstFold<Output, Failure>(name: "TryFirst", predicate: predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }

    /// A publisher of the first value of another publisher for which a throwing closure answers true.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// Any error: those of upstream and those that the closure throws.
        public typealias Failure = any Error

        /// The publisher whose values are looked at.
        public let upstream: Upstream

        /// What decides on each value.
        public let predicate: ThrowingStreamClosure<Output, Bool>

        /// Makes the publisher that `tryFirst(where:)` returns.
        @inlinable public init(upstream: Upstream, predicate: @escaping ThrowingStreamClosure<Output, Bool>) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let fold = TryFirstFold<Output, Upstream.Failure>(predicate: predicate)
            upstream.receive(subscriber: FoldConduit(fold, subscriber))
        }
    }
}

extension Publishers.First: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.FirstWhere: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.TryFirstWhere: StrictlySendable where Upstream: StrictlySendable {}

extension Publishers.First: Equatable where Upstream: Equatable {}

/// Keeps the first value for which a closure answers true.
@usableFromInline struct FirstFold<Input, Failure: Error>: Fold {
    @usableFromInline let name: StaticString

    @usableFromInline let predicate: (Input) -> Bool

    @usableFromInline var found: Input?

    @inlinable init(name: StaticString, predicate: @escaping (Input) -> Bool) {
        self.name = name
        self.predicate = predicate
    }

    @inlinable var hasResult: Bool { found != nil }

    @inlinable mutating func receive(_ input: Input) -> FoldResult<Failure> {
        if !predicate(input) { return .more }
        found = input
        return .done
    }

    @inlinable func result() -> Input { found.unsafelyUnwrapped }
}

/// Keeps the first value for which a throwing closure answers true.
@usableFromInline struct TryFirstFold<Input, InputFailure: Error>: ThrowingFold {
    @usableFromInline let predicate: (Input) throws -> Bool

    @usableFromInline var found: Input?

    @inlinable init(predicate: @escaping (Input) throws -> Bool) { self.predicate = predicate }

    @inlinable var name: StaticString { "TryFirstWhere" }

    @inlinable var hasResult: Bool { found != nil }

    @inlinable mutating func attempt(_ input: Input) throws -> Bool {
        if try !predicate(input) { return false }
        found = input
        return true
    }

    @inlinable func result() -> Input { found.unsafelyUnwrapped }
}
