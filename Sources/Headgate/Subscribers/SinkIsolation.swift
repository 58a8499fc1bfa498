import HeadgateEngine

extension Publisher where Output: Sendable {
    /// Attaches two closures isolated to the calling actor, which receive the values one at a time, in order, on that
    /// actor.
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
    /// It works in an actor, in a class isolated to a global actor, and in top-level code. Without an actor, it does
    /// not compile. The closures may access the actor's state; they retain what they capture strongly.
    ///
    /// - **Demand** and **Complexity**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: delivered on the actor, after all values. Nothing is delivered after `cancel()`.
    /// - **Threads**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`: the closures run on the actor.
    ///
    /// - Parameters:
    ///   - isolation: `#isolation`.
    ///   - buffering: How many values to request and to buffer, if not the default.
    ///   - receiveCompletion: Called with the completion, unless the stream is cancelled first.
    ///   - receiveValue: Called with each value.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream. On the actor, nothing is delivered
    ///   after that.
    @preconcurrency @inlinable public func sink(
        isolation: isolated any Actor, buffering: Publishers.AsyncBuffering? = nil,
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        // They are only called on the actor that they are isolated to.
        let completion = UncheckedSendable(receiveCompletion)
        let value = UncheckedSendable(receiveValue)
        return isolation.attach(
            self, buffering, receiveCompletion: { completion.value($0) }, receiveValue: { value.value($0) })
    }
}

extension Publisher where Failure == Never, Output: Sendable {
    /// Attaches a closure isolated to the calling actor, which receives the values one at a time, in order, on that
    /// actor.
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
    /// - **Demand** and **Complexity**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`.
    /// - **Completion**: ignored; the closure is released.
    /// - **Threads**: as for `sink(on:buffering:receiveCompletion:receiveValue:)`: the closure runs on the actor.
    ///
    /// - Parameters:
    ///   - isolation: `#isolation`.
    ///   - buffering: How many values to request and to buffer, if not the default.
    ///   - receiveValue: Called with each value. It retains what it captures strongly.
    /// - Returns: A cancellable; cancelling or releasing it cancels the stream.
    @preconcurrency @inlinable public func sink(
        isolation: isolated any Actor, buffering: Publishers.AsyncBuffering? = nil,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let value = UncheckedSendable(receiveValue)
        return isolation.attach(self, buffering, receiveCompletion: { _ in }, receiveValue: { value.value($0) })
    }
}

extension Actor {
    @inlinable nonisolated func attach<P: Publisher>(
        _ publisher: P, _ buffering: Publishers.AsyncBuffering?,
        receiveCompletion: @escaping @Sendable (Subscribers.Completion<P.Failure>) -> Void,
        receiveValue: @escaping @Sendable (P.Output) -> Void
    ) -> AnyCancellable where P.Output: Sendable {
        publisher.sink(
            on: self, buffering: buffering, receiveCompletion: { _, completion in receiveCompletion(completion) },
            receiveValue: { _, value in receiveValue(value) })
    }
}
