import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher where Output: StrictlySendable {
    /// Attaches two closures of the actor that calls this, which hear the values one at a time, in order, on that actor.
    ///
    /// ```swift
    /// @MainActor final class Dashboard {
    ///     var lines: [String] = []
    ///     var listener: AnyCancellable?
    ///
    ///     func follow(_ log: some Publisher<String, any Error>) {
    ///         listener = log.sink(
    ///             isolation: #isolation,
    ///             receiveCompletion: { [weak self] end in self?.lines.append("\(end)") },
    ///             receiveValue: { [weak self] line in self?.lines.append(line) })
    ///     }
    /// }
    /// ```
    ///
    /// It works in an actor, in a class of a global actor, and in top-level code. Where there is no actor, it does not
    /// compile. The closures may use what belongs to the actor; what they capture strongly, they keep alive.
    ///
    /// - **Demand** and **Complexity**: as with `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: told on the actor, after all values. Nothing is told after `cancel()`.
    ///
    /// - Parameters:
    ///   - isolation: `#isolation`.
    ///   - buffering: How many values to request, and how many to keep, if something else is wanted.
    ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
    ///   - receiveValue: Hears each value.
    /// - Returns: What cancels the stream; letting go of it does so too. On the actor, nothing more is heard after that.
    public func sink(
        isolation: isolated any Actor, buffering: Publishers.AsyncBuffering? = nil,
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        // They are called on the actor to which they belong, and nowhere else.
        let completion = Handed(receiveCompletion)
        let value = Handed(receiveValue)
        return isolation.attach(
            self, buffering, receiveCompletion: { completion.value($0) }, receiveValue: { value.value($0) })
    }
}

extension Publisher where Failure == Never, Output: StrictlySendable {
    /// Attaches a closure of the actor that calls this, which hears the values one at a time, in order, on that actor.
    ///
    /// ```swift
    /// actor Counter {
    ///     var count = 0
    ///
    ///     func follow(_ events: some Publisher<String, Never>) -> AnyCancellable {
    ///         events.sink(isolation: #isolation) { _ in self.count += 1 }
    ///     }
    /// }
    /// ```
    ///
    /// - **Demand** and **Complexity**: as with `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: nobody is told; the closure is let go of.
    ///
    /// - Parameters:
    ///   - isolation: `#isolation`.
    ///   - buffering: How many values to request, and how many to keep, if something else is wanted.
    ///   - receiveValue: Hears each value. What it captures strongly, it keeps alive.
    /// - Returns: What cancels the stream; letting go of it does so too.
    public func sink(
        isolation: isolated any Actor, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let value = Handed(receiveValue)
        return isolation.attach(self, buffering, receiveCompletion: { _ in }, receiveValue: { value.value($0) })
    }
}

extension Actor {
    fileprivate nonisolated func attach<P: Publisher>(
        _ publisher: P, _ buffering: Publishers.AsyncBuffering?,
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<P.Failure>) -> Void,
        receiveValue: @escaping @Sendable (P.Output) -> Void
    ) -> AnyCancellable where P.Output: StrictlySendable {
        publisher.sink(
            on: self, buffering: buffering, receiveCompletion: { _, completion in receiveCompletion(completion) },
            receiveValue: { _, value in receiveValue(value) })
    }
}
