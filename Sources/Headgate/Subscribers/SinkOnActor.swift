import HeadgateEngine

extension Publisher where Output: Sendable {
    /// Attaches an actor, which receives the values one at a time, in order.
    ///
    /// ```swift
    /// actor Ledger {
    ///     var balance = 0
    ///     var listeners: Set<AnyCancellable> = []
    ///
    ///     func follow(_ payments: some Publisher<Int, any Error>) {
    ///         payments.sink(
    ///             on: self,
    ///             receiveCompletion: { ledger, end in print(end) },
    ///             receiveValue: { ledger, amount in ledger.balance += amount }
    ///         ).store(in: &listeners)
    ///     }
    /// }
    /// ```
    ///
    /// All values that are due are delivered in one job; after a thousand values in a row, the actor gets to run other
    /// work. The closures may suspend, and the next value waits for them. The actor is not retained, except while it
    /// processes a value; the stream is cancelled after it has been deallocated.
    ///
    /// - **Demand**: from a source that answers demand synchronously, such as a sequence, requests one value each time
    ///   the closure has returned. From any other source that is known to wait for demand, requests 64 values, and 32
    ///   more each time 32 have been consumed. From a source that can't wait, such as a subject or a timer, requests
    ///   unlimited values, and buffers the values that the actor has not processed yet without a limit: set a bound
    ///   with `buffering`. From any other source, requests 65,536 values, as `values` does.
    /// - **Completion**: delivered on the actor, after all values. Nothing is delivered after `cancel()`.
    /// - **Threads**: the closures run on the actor, one at a time; upstream may deliver on any thread, and never
    ///   waits for the actor. More values are requested from there. The cancellable may be used on any thread; off the
    ///   actor, one call may be in progress when `cancel()` returns.
    /// - **Complexity**: constant time per value, and one job of the actor per burst.
    ///
    /// - Parameters:
    ///   - actor: The actor.
    ///   - buffering: How many values to request and to buffer, if not the default.
    ///   - receiveCompletion: Called on the actor with the completion, unless the stream is cancelled first.
    ///   - receiveValue: Called on the actor with each value.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream. If that happens inside the closures
    ///   of this sink, nothing is delivered after it.
    @inlinable public func sink<A: Actor>(
        on actor: A, buffering: Publishers.AsyncBuffering? = nil,
        receiveCompletion: @escaping @Sendable (isolated A, Subscribers.Completion<Failure>) async -> Void,
        receiveValue: @escaping @Sendable (isolated A, Output) async -> Void
    ) -> AnyCancellable {
        let sink = ActorSink<A, Output, Failure>(
            actor, buffering?.policy ?? .everything, receiveCompletion, receiveValue)
        receive(subscriber: sink.conduit)
        return sink.start()
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    /// Attaches an actor, which receives the values one at a time, in order.
    ///
    /// ```swift
    /// actor Counter {
    ///     var count = 0
    ///     var listeners: Set<AnyCancellable> = []
    ///
    ///     func follow(_ events: some Publisher<String, Never>) {
    ///         events.sink(on: self) { counter, _ in counter.count += 1 }.store(in: &listeners)
    ///     }
    /// }
    /// ```
    ///
    /// - **Demand** and **Complexity**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`: the closure runs on the actor.
    ///
    /// - Parameters:
    ///   - actor: The actor. It is not retained.
    ///   - buffering: How many values to request and to buffer, if not the default.
    ///   - receiveValue: Called on the actor with each value.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @inlinable public func sink<A: Actor>(
        on actor: A, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping @Sendable (isolated A, Output) async -> Void
    ) -> AnyCancellable {
        sink(on: actor, buffering: buffering, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
    }

    /// Attaches a closure of the main actor, which receives the values one at a time, in order.
    ///
    /// ```swift no-run
    /// let cancellable = progress.sink(on: .shared) { window.title = "\($0) %" }
    /// ```
    ///
    /// - **Demand** and **Complexity**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`: the closure runs on the main actor.
    ///
    /// - Parameters:
    ///   - actor: The main actor.
    ///   - buffering: How many values to request and to buffer, if not the default.
    ///   - receiveValue: Called on the main actor with each value.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @preconcurrency @inlinable public func sink(
        on actor: MainActor, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping @MainActor (Output) -> Void
    ) -> AnyCancellable {
        sink(
            on: actor, buffering: buffering, receiveCompletion: { _, _ in },
            // The sink only calls it on that actor.
            receiveValue: { _, value in unsafeBitCast(receiveValue, to: ((Output) -> Void).self)(value) })
    }
}

/// Delivers values to an actor, as long as the actor exists.
// The mutable parts are confined to the conduit, or to the one task.
@usableFromInline final class ActorSink<A: Actor, Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline typealias ReceiveValue = @Sendable (isolated A, Output) async -> Void

    @usableFromInline typealias ReceiveCompletion =
        @Sendable (isolated A, Subscribers.Completion<Failure>) async -> Void

    @usableFromInline enum Pause: Sendable {
        case nothingDue
        case moreIsDue
        case over
    }

    @usableFromInline let conduit: AsyncConduit<Output, Failure>

    @usableFromInline weak var actor: A?

    @usableFromInline let receiveValue: ReceiveValue

    @usableFromInline let receiveCompletion: ReceiveCompletion

    @inlinable init(
        _ actor: A, _ policy: AsyncPolicy, _ receiveCompletion: @escaping ReceiveCompletion,
        _ receiveValue: @escaping ReceiveValue
    ) {
        self.actor = actor
        conduit = AsyncConduit(policy)
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
    }

    /// Starts the delivery.
    ///
    /// - Returns: A cancellable that ends it.
    @inlinable func start() -> AnyCancellable {
        let main = actor is MainActor ? actor : nil
        let task = StreamTask.start {
            if let main { await self.deliver(on: main) } else { await self.deliverWhileAlive() }
        }
        return AnyCancellable { [conduit] in
            // The task first, so that it does not deliver the completion.
            task.cancel()
            conduit.cancel()
        }
    }

    /// Enters the actor whenever a value is due, and does not retain it while it waits.
    @inlinable func deliverWhileAlive() async {
        while true {
            switch await deliverOnce() {
            case .over: return
            case .moreIsDue: await Task.yield()
            case .nothingDue: await conduit.wait(isolation: nil)
            }
        }
    }

    @inlinable func deliverOnce() async -> Pause {
        guard let actor else {
            conduit.cancel()
            return .over
        }
        return await deliverDue(to: actor)
    }

    /// Waits on the actor, which is never deallocated.
    @inlinable func deliver(on actor: isolated A) async {
        while true {
            switch await deliverDue(to: actor) {
            case .over: return
            case .moreIsDue: await Task.yield()
            case .nothingDue: await conduit.wait(isolation: actor)
            }
        }
    }

    /// Delivers the values that are due.
    @inlinable func deliverDue(to actor: isolated A) async -> Pause {
        for _ in 1...1000 {
            switch conduit.poll() {
            case .value(let value):
                await receiveValue(actor, value)
            case .ended(let completion):
                if !Task.isCancelled { await receiveCompletion(actor, completion) }
                return .over
            case .nothing:
                return .nothingDue
            }
        }
        return .moreIsDue
    }
}
