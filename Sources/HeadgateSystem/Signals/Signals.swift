import Headgate

/// The signals that are sent to this process.
public enum Signals {
    /// Publishes signals instead of what the system would do about them.
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
    /// A signal is caught from the moment of subscribing, before the subscriber has its subscription, and every subscriber
    /// hears of it. With the last subscriber for a signal, what was done about it before is done again: a second Ctrl-C then
    /// ends the program. A signal that was ignored before, as `nohup` has it for ``Signal/hangUp``, is caught all the same.
    ///
    /// Programs that this one executes find the signal as they would without Headgate.
    ///
    /// - **Demand**: a signal that nobody asked for is kept until somebody does, once however often it came: the kernel does
    ///   not count signals either. Where several wait, the lowest number is first.
    /// - **Completion**: never finishes; it is gone at `cancel()`.
    /// - **Complexity**: one atomic operation in the handler. One thread waits for all signals, and each subscriber is served
    ///   on a queue of its own. No descriptors.
    ///
    /// - Parameters:
    ///   - first: A signal. One that can't be caught traps: ``Signal/kill``, ``Signal/stop``, and those of faulty
    ///     instructions, such as `SIGSEGV`.
    ///   - others: More signals.
    public static func publisher(for first: Signal, _ others: Signal...) -> Publishers.Signals {
        for signal in [first] + others where !signal.canBeAwaited {
            programmerError(
                rule: "A signal that is waited for can be caught.", found: "\(signal)",
                remedy: "Leave it to the system.")
        }
        return Publishers.Signals(signals: [first] + others)
    }
}

extension Publishers {
    /// A publisher of signals that are sent to this process.
    public struct Signals: Publisher, Sendable {
        /// Signals.
        public typealias Output = Signal

        /// Nothing goes wrong with signals.
        public typealias Failure = Never

        /// Those that are waited for.
        public let signals: [Signal]

        package var centre = SignalCentre.shared

        package var makeQueue: @Sendable () -> DeliveryQueue = { .sharing("signals") }

        init(signals: [Signal]) { self.signals = signals }

        /// Connects a subscriber, for which the signals are caught from now on.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let conduit = SignalConduit(
                signals.reduce(0) { $0 | $1.bit }, from: centre, on: makeQueue(), to: AnySubscriber(subscriber))
            subscriber.receive(subscription: conduit)
        }
    }
}
