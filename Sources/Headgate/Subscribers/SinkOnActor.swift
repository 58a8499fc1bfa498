import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: StrictlySendable {
    /// Attaches an actor, which hears the values one at a time, in order.
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
    /// Whatever is due goes over in one job; after a thousand values in a row, other work of the actor gets a turn. The
    /// closures may wait, and the next value does not overtake them. The actor is not kept alive, except while it is at
    /// work on a value; the stream is cancelled when it has gone.
    ///
    /// - **Demand**: from a source that answers at once, such as a sequence, one value whenever the closure has returned.
    ///   Of any other that is known to wait 64 values are requested, and 32 more whenever 32 have been taken. From a
    ///   source that can't wait, such as a subject or a timer, everything is requested, and what the actor has not come
    ///   to is kept: name a bound by `buffering`. Of any other source 65,536 values are requested, as by `values`.
    /// - **Completion**: told on the actor, after all values. Nothing is told after `cancel()`.
    /// - **Complexity**: one short lock per value on either side. One job per burst.
    ///
    /// - Parameters:
    ///   - actor: The actor.
    ///   - buffering: How many values to request, and how many to keep, if something else is wanted.
    ///   - receiveCompletion: Hears on the actor how the stream ended, if it ends before it is cancelled.
    ///   - receiveValue: Hears each value on the actor.
    /// - Returns: What cancels the stream; letting go of it does so too. From inside the closures of this sink, nothing
    ///   more is heard after that.
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

extension Publisher where Failure == Never, Output: StrictlySendable {
    /// Attaches an actor, which hears the values one at a time, in order.
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
    /// - **Demand** and **Complexity**: as with `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: nobody is told; the closure is let go of.
    ///
    /// - Parameters:
    ///   - actor: The actor. It is not kept alive.
    ///   - buffering: How many values to request, and how many to keep, if something else is wanted.
    ///   - receiveValue: Hears each value on the actor.
    /// - Returns: What cancels the stream; letting go of it does so too.
    @inlinable public func sink<A: Actor>(
        on actor: A, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping @Sendable (isolated A, Output) async -> Void
    ) -> AnyCancellable {
        sink(on: actor, buffering: buffering, receiveCompletion: { _, _ in }, receiveValue: receiveValue)
    }

    /// Attaches a closure of the main actor, which hears the values one at a time, in order.
    ///
    /// ```swift no-run
    /// progress.sink(on: .shared) { window.title = "\($0) %" }.store(in: &listeners)
    /// ```
    ///
    /// - **Demand** and **Complexity**: as with `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: nobody is told; the closure is let go of.
    ///
    /// - Parameters:
    ///   - actor: The main actor.
    ///   - buffering: How many values to request, and how many to keep, if something else is wanted.
    ///   - receiveValue: Hears each value on the main actor.
    /// - Returns: What cancels the stream; letting go of it does so too.
    @inlinable public func sink(
        on actor: MainActor, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping @MainActor (Output) -> Void
    ) -> AnyCancellable {
        let sink = ActorSink<MainActor, Output, Never>(
            actor, buffering?.policy ?? .everything, { _, _ in },
            // The sink calls it on that actor, and nowhere else.
            { _, value in unsafeBitCast(receiveValue, to: ((Output) -> Void).self)(value) })
        receive(subscriber: sink.conduit)
        return sink.start()
    }
}

/// Hands values to an actor, as long as that lives.
// The parts that change belong to the conduit, or to the one task; hence unchecked.
@usableFromInline final class ActorSink<A: Actor, Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline typealias ReceiveValue = @Sendable (isolated A, Output) async -> Void

    @usableFromInline typealias ReceiveCompletion =
        @Sendable (isolated A, Subscribers.Completion<Failure>) async -> Void

    @usableFromInline enum Pause: Sendable {
        case nothingDue
        case othersAreDue
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

    /// Starts to hand values over.
    ///
    /// - Returns: What ends that.
    @inlinable func start() -> AnyCancellable {
        let main = MainActor.shared as? A
        let isMain = main.map { $0 === actor } ?? false
        let task = StreamTask.start {
            if isMain, let main { await self.stay(on: main) } else { await self.visit() }
        }
        return AnyCancellable { [conduit] in
            // First the task, which then tells nobody of the end.
            task.cancel()
            conduit.cancel()
        }
    }

    /// Goes to the actor whenever something is due, and does not keep it alive while it waits.
    @inlinable func visit() async {
        while true {
            switch await visitOnce() {
            case .over: return
            case .othersAreDue: await Task.yield()
            case .nothingDue: await conduit.wait(isolation: nil)
            }
        }
    }

    @inlinable func visitOnce() async -> Pause {
        guard let actor else {
            conduit.cancel()
            return .over
        }
        return await handOver(to: actor)
    }

    /// Waits on the actor, which lives for ever.
    @inlinable func stay(on actor: isolated A) async {
        while true {
            switch await handOver(to: actor) {
            case .over: return
            case .othersAreDue: await Task.yield()
            case .nothingDue: await conduit.wait(isolation: actor)
            }
        }
    }

    /// Hands over what is due.
    @inlinable func handOver(to actor: isolated A) async -> Pause {
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
        return .othersAreDue
    }
}
