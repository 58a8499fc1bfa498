import HeadgateEngine

extension Publisher where Output: Sendable {
    /// Delivers values on an actor, in order.
    ///
    /// ```
    /// self         1-2-3----|
    /// receive(on:) next turn of the actor
    ///              -1-2-3----|
    /// ```
    ///
    /// ```swift
    /// actor Ledger {
    ///     var balance = 100
    ///     var listener: AnyCancellable?
    ///
    ///     func follow(_ payments: some Publisher<Int, Never>) {
    ///         listener = payments
    ///             .receive(on: self)
    ///             .filter { ledger, cents in cents <= ledger.balance }
    ///             .sink { ledger, cents in
    ///                 ledger.balance -= cents
    ///                 print("paid", cents)
    ///             }
    ///     }
    /// }
    ///
    /// let ledger = Ledger()
    /// await ledger.follow([70, 50, 30].publisher)
    /// // paid 70
    /// // paid 30
    /// ```
    ///
    /// The operators that follow take actor-isolated closures, with the actor as their first argument, and the
    /// compiler checks them: they may access this actor's state, and no other actor's. After
    /// `receive(on: MainActor.shared)`, closures isolated to the main actor are accepted as they are. Any other
    /// operator can follow as well; it runs on the actor too, up to the next operator that changes threads, but the
    /// compiler does not check that.
    ///
    /// All values that are due are delivered in one job; after 128 values in a row, the actor gets to run other work.
    /// The closures can't suspend: use `sink(on:)` and `asyncMap` for that. The actor is not retained. After it has
    /// been deallocated, the next value or completion cancels the stream.
    ///
    /// - **Demand**: forwarded on the requesting thread.
    /// - **Completion**: forwarded after the values, on the actor.
    /// - **Threads**: values and the completion are delivered on the actor; requests and `cancel()` reach upstream on
    ///   the calling thread. On the actor, nothing arrives after `cancel()`.
    /// - **Complexity**: one job per burst.
    ///
    /// - Parameter actor: Where values and the completion are delivered. The subscription is delivered synchronously.
    @inlinable public func receive<A: Actor>(on actor: A) -> Publishers.OnActor<Publishers.ReceiveOnActor<Self, A>, A> {
        let place = WeakActor(actor)
        return Publishers.OnActor(upstream: Publishers.ReceiveOnActor(upstream: self, place: place), place: place)
    }
}

extension Publishers {
    /// A publisher that delivers on an actor, and whose operators take actor-isolated closures.
    public struct OnActor<Upstream: Publisher, Target: Actor>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        @usableFromInline let upstream: Upstream

        @usableFromInline let place: WeakActor<Target>

        @inlinable init(upstream: Upstream, place: WeakActor<Target>) {
            self.upstream = upstream
            self.place = place
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: subscriber)
        }

        /// Transforms each value with an actor-isolated closure.
        ///
        /// ```
        /// self   1---2---|
        /// map    a---b---|
        /// ```
        ///
        /// ```swift no-run
        /// let reservations = orders.receive(on: stock).map { stock, order in stock.reserve(order) }
        /// ```
        ///
        /// - **Demand** and **Completion**: forwarded.
        /// - **Threads**: the closure is called on the actor.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter transform: Transforms a value, on the actor.
        @inlinable public func map<T>(
            _ transform: @escaping @Sendable (isolated Target, Output) -> T
        ) -> OnActor<Map<Upstream, T>, Target> {
            OnActor<_, Target>(
                upstream: upstream.map { [place] value in place.call(transform, value) }, place: place)
        }

        /// Transforms each value with an actor-isolated closure, and publishes the non-`nil` results.
        ///
        /// ```
        /// self         1---2---3---|
        /// compactMap   a-------c---|
        /// ```
        ///
        /// ```swift no-run
        /// let entries = ids.receive(on: cache).compactMap { cache, id in cache.entries[id] }
        /// ```
        ///
        /// - **Demand**: forwarded; one more value is requested for each dropped one.
        /// - **Completion**: forwarded.
        /// - **Threads**: the closure is called on the actor.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter transform: Transforms a value, or returns `nil` to drop it, on the actor.
        @inlinable public func compactMap<T>(
            _ transform: @escaping @Sendable (isolated Target, Output) -> T?
        ) -> OnActor<CompactMap<Upstream, T>, Target> {
            OnActor<_, Target>(
                upstream: upstream.compactMap { [place] value in place.call(transform, value) }, place: place)
        }

        /// Publishes the values for which an actor-isolated closure returns `true`.
        ///
        /// ```
        /// self     1---2---3---|
        /// filter   1-------3---|
        /// ```
        ///
        /// ```swift no-run
        /// let covered = payments.receive(on: ledger).filter { ledger, payment in payment.cents <= ledger.balance }
        /// ```
        ///
        /// - **Demand**: forwarded; one more value is requested for each dropped one.
        /// - **Completion**: forwarded.
        /// - **Threads**: the closure is called on the actor.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter isIncluded: Whether to forward a value; called on the actor.
        @inlinable public func filter(
            _ isIncluded: @escaping @Sendable (isolated Target, Output) -> Bool
        ) -> OnActor<Filter<Upstream>, Target> {
            OnActor<_, Target>(
                upstream: upstream.filter { [place] value in place.call(isIncluded, value) }, place: place)
        }

        /// Attaches a subscriber with two actor-isolated closures.
        ///
        /// ```swift no-run
        /// let cancellable = payments.receive(on: ledger).sink(
        ///     receiveCompletion: { ledger, end in ledger.close(end) },
        ///     receiveValue: { ledger, payment in ledger.balance += payment.cents })
        /// ```
        ///
        /// - **Demand**: unlimited, at once.
        /// - **Completion**: passed to the closure, on the actor, after all values.
        /// - **Threads**: the closure is called on the actor.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameters:
        ///   - receiveCompletion: Called with the completion, unless the stream is cancelled first.
        ///   - receiveValue: Called with each value.
        /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
        @inlinable public func sink(
            receiveCompletion: @escaping @Sendable (isolated Target, Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (isolated Target, Output) -> Void
        ) -> AnyCancellable {
            upstream.sink(
                receiveCompletion: { [place] completion in place.call(receiveCompletion, completion) },
                receiveValue: { [place] value in place.call(receiveValue, value) })
        }
    }
}

extension Publishers.OnActor: Sendable where Upstream: Sendable, Target: Sendable {}

extension Publishers.OnActor where Upstream.Failure == Never {
    /// Attaches a subscriber with an actor-isolated closure.
    ///
    /// ```swift no-run
    /// let cancellable = payments.receive(on: ledger).sink { ledger, payment in ledger.balance += payment.cents }
    /// ```
    ///
    /// - **Demand**: unlimited, at once.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: the closure is called on the actor.
    /// - **Complexity**: one call of a closure per value.
    ///
    /// - Parameter receiveValue: Called with each value, on the actor.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @inlinable public func sink(receiveValue: @escaping @Sendable (isolated Target, Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _, _ in }, receiveValue: receiveValue)
    }
}

// A closure written in a class of the main actor is isolated to the main actor implicitly.
extension Publishers.OnActor where Target == MainActor {
    /// Transforms each value with a closure of the main actor.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `map` on any actor.
    ///
    /// - Parameter transform: Transforms a value, on the main actor.
    @inlinable public func map<T>(
        _ transform: @escaping @MainActor @Sendable (Output) -> T
    ) -> Publishers.OnActor<Publishers.Map<Upstream, T>, MainActor> {
        map(onMain(transform))
    }

    /// Transforms each value with a closure of the main actor, and publishes the non-`nil` results.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `compactMap` on any actor.
    ///
    /// - Parameter transform: Transforms a value, or returns `nil` to drop it, on the main actor.
    @inlinable public func compactMap<T>(
        _ transform: @escaping @MainActor @Sendable (Output) -> T?
    ) -> Publishers.OnActor<Publishers.CompactMap<Upstream, T>, MainActor> {
        compactMap(onMain(transform))
    }

    /// Publishes the values for which a closure of the main actor returns `true`.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `filter` on any actor.
    ///
    /// - Parameter isIncluded: Whether to forward a value; called on the main actor.
    @inlinable public func filter(
        _ isIncluded: @escaping @MainActor @Sendable (Output) -> Bool
    ) -> Publishers.OnActor<Publishers.Filter<Upstream>, MainActor> {
        filter(onMain(isIncluded))
    }

    /// Attaches a subscriber with two closures of the main actor.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `sink` on any actor.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Called with the completion, unless the stream is cancelled first.
    ///   - receiveValue: Called with each value.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @inlinable public func sink(
        receiveCompletion: @escaping @MainActor @Sendable (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @MainActor @Sendable (Output) -> Void
    ) -> AnyCancellable {
        sink(receiveCompletion: onMain(receiveCompletion), receiveValue: onMain(receiveValue))
    }
}

extension Publishers.OnActor where Target == MainActor, Upstream.Failure == Never {
    /// Attaches a subscriber with a closure of the main actor.
    ///
    /// - **Demand**, **Completion**, **Threads** and **Complexity**: as for `sink` on any actor.
    ///
    /// - Parameter receiveValue: Called with each value, on the main actor.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @inlinable public func sink(receiveValue: @escaping @MainActor @Sendable (Output) -> Void) -> AnyCancellable {
        sink(receiveValue: onMain(receiveValue))
    }
}

@inlinable func onMain<Value, Result>(
    _ body: @escaping @MainActor @Sendable (Value) -> Result
) -> @Sendable (isolated MainActor, Value) -> Result {
    { _, value in
        let value = UncheckedSendable(value)
        return MainActor.assumeIsolated { UncheckedSendable(body(value.value)) }.value
    }
}

extension Publishers {
    /// A publisher that delivers upstream's values on an actor.
    public struct ReceiveOnActor<Upstream: Publisher, Target: Actor>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let place: WeakActor<Target>

        @inlinable init(upstream: Upstream, place: WeakActor<Target>) {
            self.upstream = upstream
            self.place = place
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let queue = ActorQueue(place)
            let conduit = ReceiveOnConduit(on: queue, options: nil, to: subscriber)
            queue.onDeallocation { [weak conduit] in conduit?.cancel() }
            upstream.receive(subscriber: conduit)
        }
    }
}

extension Publishers.ReceiveOnActor: Sendable where Upstream: Sendable {}
