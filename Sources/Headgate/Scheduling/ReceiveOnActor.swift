import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Publishes the same on an actor, in the same order.
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
    /// The stages that follow take closures of the actor, which is their first argument, and the compiler checks them: they
    /// may use what belongs to this actor, and nothing that belongs to another. Behind `receive(on: MainActor.shared)` the
    /// closures of a class of the main actor are taken as they are. Any other operator of a publisher follows as well; it
    /// runs on the actor too, up to the next hop, and the compiler does not check that.
    ///
    /// Whatever is due goes over in one job; after 128 values in a row, other work of the actor gets a turn. Closures can't
    /// wait: that is what `sink(on:)` and `asyncMap` are for. The actor is not kept alive. When it has gone, the stream is
    /// cancelled as soon as a value or the end comes for it.
    ///
    /// - **Demand**: passed on as it is, on the thread that requests.
    /// - **Completion**: passed on after the values, on the actor.
    /// - **Complexity**: one job per burst.
    ///
    /// - Parameter actor: Where values and the completion are delivered. The subscription is handed over at once.
    public func receive<A: Actor>(on actor: A) -> Publishers.OnActor<some Publisher<Output, Failure>, A> {
        let place = ActorPlace(actor)
        return Publishers.OnActor(upstream: ReceivedOnActor(upstream: self, place: place), place: place)
    }
}

extension Publishers {
    /// A publisher that delivers on an actor, and whose operators take closures of that actor.
    public struct OnActor<Upstream: Publisher, Target: Actor>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The failure of upstream.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream

        let place: ActorPlace<Target>

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) { upstream.receive(subscriber: subscriber) }

        /// Publishes what a closure of the actor makes of each value.
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
        /// - **Demand** and **Completion**: passed on as they are.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter transform: Makes a value of each, on the actor.
        public func map<T>(
            _ transform: @escaping @Sendable (isolated Target, Output) -> T
        ) -> OnActor<some Publisher<T, Failure>, Target> {
            OnActor<_, Target>(
                upstream: upstream.map { [place] value in place.call(transform, value) }, place: place)
        }

        /// Publishes what a closure of the actor makes of each value, where it is not `nil`.
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
        /// - **Demand**: for each value that is left out, one more is requested.
        /// - **Completion**: passed on as it is.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter transform: Makes a value of each, or `nil`, on the actor.
        public func compactMap<T>(
            _ transform: @escaping @Sendable (isolated Target, Output) -> T?
        ) -> OnActor<some Publisher<T, Failure>, Target> {
            OnActor<_, Target>(
                upstream: upstream.compactMap { [place] value in place.call(transform, value) }, place: place)
        }

        /// Publishes the values for which a closure of the actor answers `true`.
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
        /// - **Demand**: for each value that is left out, one more is requested.
        /// - **Completion**: passed on as it is.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameter isIncluded: Whether a value goes on, on the actor.
        public func filter(
            _ isIncluded: @escaping @Sendable (isolated Target, Output) -> Bool
        ) -> OnActor<some Publisher<Output, Failure>, Target> {
            OnActor<_, Target>(
                upstream: upstream.filter { [place] value in place.call(isIncluded, value) }, place: place)
        }

        /// Attaches two closures of the actor.
        ///
        /// ```swift no-run
        /// let cancellable = payments.receive(on: ledger).sink(
        ///     receiveCompletion: { ledger, end in ledger.close(end) },
        ///     receiveValue: { ledger, payment in ledger.balance += payment.cents })
        /// ```
        ///
        /// - **Demand**: everything, at once.
        /// - **Completion**: is told to the closure, on the actor, after all values.
        /// - **Complexity**: one call of a closure per value.
        ///
        /// - Parameters:
        ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
        ///   - receiveValue: Hears each value.
        /// - Returns: What cancels the stream; letting go of it does so too.
        public func sink(
            receiveCompletion: @escaping @Sendable (isolated Target, Subscribers.Completion<Failure>) -> Void,
            receiveValue: @escaping @Sendable (isolated Target, Output) -> Void
        ) -> AnyCancellable {
            upstream.sink(
                receiveCompletion: { [place] completion in place.call(receiveCompletion, completion) },
                receiveValue: { [place] value in place.call(receiveValue, value) })
        }
    }
}

extension Publishers.OnActor: StrictlySendable where Upstream: StrictlySendable, Target: StrictlySendable {}

extension Publishers.OnActor where Upstream.Failure == Never {
    /// Attaches a closure of the actor.
    ///
    /// ```swift no-run
    /// let cancellable = payments.receive(on: ledger).sink { ledger, payment in ledger.balance += payment.cents }
    /// ```
    ///
    /// - **Demand**: everything, at once.
    /// - **Completion**: nobody is told; the closure is let go of.
    /// - **Complexity**: one call of a closure per value.
    ///
    /// - Parameter receiveValue: Hears each value, on the actor.
    /// - Returns: What cancels the stream; letting go of it does so too.
    public func sink(receiveValue: @escaping @Sendable (isolated Target, Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _, _ in }, receiveValue: receiveValue)
    }
}

// A closure that is written in a class of the main actor belongs to the main actor without a word.
extension Publishers.OnActor where Target == MainActor {
    /// Publishes what a closure of the main actor makes of each value.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with the `map` of any actor.
    ///
    /// - Parameter transform: Makes a value of each, on the main actor.
    public func map<T>(
        _ transform: @escaping @MainActor (Output) -> T
    ) -> Publishers.OnActor<some Publisher<T, Failure>, MainActor> {
        map(onMain(transform))
    }

    /// Publishes what a closure of the main actor makes of each value, where it is not `nil`.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with the `compactMap` of any actor.
    ///
    /// - Parameter transform: Makes a value of each, or `nil`, on the main actor.
    public func compactMap<T>(
        _ transform: @escaping @MainActor (Output) -> T?
    ) -> Publishers.OnActor<some Publisher<T, Failure>, MainActor> {
        compactMap(onMain(transform))
    }

    /// Publishes the values for which a closure of the main actor answers `true`.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with the `filter` of any actor.
    ///
    /// - Parameter isIncluded: Whether a value goes on, on the main actor.
    public func filter(
        _ isIncluded: @escaping @MainActor (Output) -> Bool
    ) -> Publishers.OnActor<some Publisher<Output, Failure>, MainActor> {
        filter(onMain(isIncluded))
    }

    /// Attaches two closures of the main actor.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with the `sink` of any actor.
    ///
    /// - Parameters:
    ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
    ///   - receiveValue: Hears each value.
    /// - Returns: What cancels the stream; letting go of it does so too.
    public func sink(
        receiveCompletion: @escaping @MainActor (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping @MainActor (Output) -> Void
    ) -> AnyCancellable {
        sink(receiveCompletion: onMain(receiveCompletion), receiveValue: onMain(receiveValue))
    }
}

extension Publishers.OnActor where Target == MainActor, Upstream.Failure == Never {
    /// Attaches a closure of the main actor.
    ///
    /// - **Demand**, **Completion** and **Complexity**: as with the `sink` of any actor.
    ///
    /// - Parameter receiveValue: Hears each value, on the main actor.
    /// - Returns: What cancels the stream; letting go of it does so too.
    public func sink(receiveValue: @escaping @MainActor (Output) -> Void) -> AnyCancellable {
        sink(receiveValue: onMain(receiveValue))
    }
}

private func onMain<Value, Result>(
    _ body: @escaping @MainActor (Value) -> Result
) -> @Sendable (isolated MainActor, Value) -> Result {
    { _, value in
        let value = Handed(value)
        return MainActor.assumeIsolated { Handed(body(value.value)) }.value
    }
}

/// Delivers on an actor.
private struct ReceivedOnActor<Upstream: Publisher, Target: Actor>: Publisher {
    typealias Output = Upstream.Output

    typealias Failure = Upstream.Failure

    let upstream: Upstream

    let place: ActorPlace<Target>

    func receive(subscriber: some Subscriber<Output, Failure>) {
        let queue = ActorQueue(place)
        let conduit = ScheduledConduit(
            name: "ReceiveOn", EventQueue<Output, Failure, ActorQueue<Target>.SchedulerTimeType>(), .atOnce,
            asking: .multiple(1), on: queue, options: nil, to: subscriber)
        queue.onAbsence { [weak conduit] in conduit?.cancel() }
        upstream.receive(subscriber: conduit)
    }
}
