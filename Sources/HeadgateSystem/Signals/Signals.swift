import HeadgateEngine

/// The signals sent to this process.
public enum Signals {
    /// Publishes signals, replacing their default effect.
    ///
    /// ```
    /// signals   ---i---i-------t---
    /// ```
    ///
    /// ```swift no-run
    /// let reading = File.standardInput.bytes().lines()
    ///     .prefix(untilOutputFrom: Signals.publisher(for: .interrupt, .terminate))
    ///     .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
    /// // Ctrl-C: finished
    /// ```
    ///
    /// A signal is caught from the moment of subscribing, before the subscriber receives its subscription, and
    /// delivered to every subscriber. When the last subscriber for a signal is gone, the previous disposition is
    /// restored: a second Ctrl-C then ends the program. A signal that was ignored before, like ``Signal/hangUp`` under
    /// `nohup`, is caught, too.
    ///
    /// Programs that this process executes inherit the previous disposition.
    ///
    /// - **Demand**: a signal without demand is kept until there is demand, once however often it arrived: the kernel
    ///   does not count signals either. If several are pending, the lowest number is first.
    /// - **Completion**: never finishes; ends at `cancel()`.
    /// - **Threads**: values are delivered on a queue of the subscription's own, and not inside the signal's handler.
    /// - **Complexity**: one atomic operation in the handler. One thread waits for all signals, and each subscriber is
    ///   served on a queue of its own. No descriptors.
    ///
    /// - Parameters:
    ///   - first: A signal. One that can't be caught traps: ``Signal/kill``, ``Signal/stop``, and those of faulty
    ///     instructions, such as `SIGSEGV`.
    ///   - others: More signals.
    public static func publisher(for first: Signal, _ others: Signal...) -> Publishers.Signals {
        for signal in [first] + others where !signal.canBeAwaited {
            programmerError(
                rule: "A signal to publish can be caught.", found: "\(signal)",
                remedy: "Leave it to the system.")
        }
        return Publishers.Signals(signals: [first] + others)
    }
}

extension Publishers {
    /// A publisher of signals sent to this process.
    public struct Signals: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Signal

        /// This publisher never fails.
        public typealias Failure = Never

        /// The signals to publish.
        public let signals: [Signal]

        package var centre = SignalCentre.shared

        package var makeQueue: @Sendable () -> DeliveryQueue = { .sharing("signals") }

        /// Connects a subscriber and catches its signals from now on.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            serve(AnySubscriber(subscriber))
        }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Output, Failure>) {
            let source = SignalSource(signals.reduce(0) { $0 | $1.bit }, from: centre)
            let conduit = PollingConduit<SignalSource>(
                name: "Signals", on: makeQueue(), to: subscriber,
                onCancel: { [weak source] in source?.stop() },
                open: { source })
            conduit.send(to: subscriber)
        }
    }
}
