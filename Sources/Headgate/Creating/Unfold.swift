import HeadgateEngine

extension Publishers {
    /// Publishes the values that a closure generates from a state, one per call, until it returns `nil`.
    ///
    /// ```
    /// subscriber   ^2-----^2-----
    /// unfold       (32)---(1|)---
    /// ```
    ///
    /// ```swift
    /// let countdown = Publishers.unfold(3) { left -> Int? in
    ///     defer { left -= 1 }
    ///     return left > 0 ? left : nil
    /// }
    /// let listener = countdown.sink { print($0) }
    /// // 3
    /// // 2
    /// // 1
    /// ```
    ///
    /// Each subscriber begins with a copy of the initial state.
    ///
    /// - **Demand**: the closure is called once per requested value, on the requesting thread.
    /// - **Completion**: when the closure returns `nil`, which is detected by the first request that it can't serve. An
    ///   error that it throws becomes the failure. The closure is not called again after either.
    /// - **Threads**: the closure is called, and values are delivered, on the requesting thread; what another thread
    ///   requests meanwhile is delivered by the one that is delivering.
    /// - **Complexity**: one call of the closure per value.
    ///
    /// - Parameters:
    ///   - initial: The initial state.
    ///   - next: Returns the next value, and updates the state.
    @preconcurrency @inlinable public static func unfold<State, Element, Failure: Error>(
        _ initial: State, _ next: @escaping @Sendable (inout State) throws(Failure) -> Element?
    ) -> Unfold<State, Element, Failure> {
        Unfold(initial: initial, next: next)
    }

    /// A publisher of the values that a closure generates from a state.
    public struct Unfold<State, Element, Failure: Error>: Publisher {
        /// The type of the published values.
        public typealias Output = Element

        /// The initial state of each subscriber.
        public let initial: State

        /// Returns the next value, and updates the state.
        public let next: @Sendable (inout State) throws(Failure) -> Element?

        /// Creates the publisher that `unfold(_:_:)` returns.
        @preconcurrency @inlinable public init(
            initial: State, next: @escaping @Sendable (inout State) throws(Failure) -> Element?
        ) {
            self.initial = initial
            self.next = next
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Element, Failure>) {
            let states = UnfoldedStates(state: initial, unfold: next)
            Publishers.Sequence(sequence: states).dematerialize()
                .receive(subscriber: EnclosingConduit(name: "Unfold", Ownership(), subscriber))
        }
    }
}

extension Publishers.Unfold: Sendable where State: Sendable {}

@usableFromInline struct UnfoldedStates<State, Element, Failure: Error>: Sequence, IteratorProtocol {
    @usableFromInline var state: State

    @usableFromInline let unfold: (inout State) throws(Failure) -> Element?

    @inlinable init(state: State, unfold: @escaping (inout State) throws(Failure) -> Element?) {
        self.state = state
        self.unfold = unfold
    }

    @inlinable mutating func next() -> Event<Element, Failure>? {
        do throws(Failure) {
            return try unfold(&state).map { .value($0) }
        } catch {
            return .failure(error)
        }
    }
}
