import HeadgateEngine

extension Subscribers {
    /// A subscriber with two closures that prefetches up to `size` values.
    ///
    /// Use it where `sink`, which requests unlimited values, would receive more than it can handle, or as the
    /// subscriber when you test your own publisher.
    ///
    /// ```swift
    /// let window = Subscribers.Windowed<Int, Never>(size: 4, receiveValue: { print($0) })
    /// (1...3).publisher.subscribe(window)
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: `size` values at first, and half as many each time half a window has been received.
    /// - **Completion**: passed to the closure, once; the subscription is released.
    /// - **Threads**: both closures are called on the thread on which upstream delivers, and upstream is requested from
    ///   there.
    public final class Windowed<Input, Failure: Error>: Subscriber, Cancellable {
        /// The number of values requested ahead.
        public let size: Int

        let receiveValue: @Sendable (Input) -> Void

        let receiveCompletion: @Sendable (Subscribers.Completion<Failure>) -> Void

        let upstream = SubscriptionSlot()

        // Confined to upstream's deliveries, which are serial.
        @exclusivity(unchecked) var receivedCount = 0

        /// Creates a subscriber with two closures.
        ///
        /// - Parameters:
        ///   - size: How many values to request ahead. A number below one traps.
        ///   - receiveCompletion: Called with the completion, unless the stream is cancelled first.
        ///   - receiveValue: Called with each value. Both closures are called on the delivering thread.
        @preconcurrency public init(
            size: Int, receiveCompletion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void = { _ in },
            receiveValue: @escaping @Sendable (Input) -> Void
        ) {
            require(
                size > 0, rule: "A window must hold at least one value.", found: "Windowed(size: \(size))",
                remedy: "Pass 1 to request values one at a time.")
            self.size = size
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        /// Requests the first values.
        public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) { subscription.request(.max(size)) }
        }

        /// Calls the closure, unless the stream has completed or been cancelled.
        ///
        /// - Returns: Half a window, each time half a window has been received; otherwise none.
        public func receive(_ input: Input) -> Subscribers.Demand {
            if upstream.isClosed { return .none }
            receiveValue(input)
            receivedCount += 1
            let step = size - size / 2
            if receivedCount < step { return .none }
            receivedCount = 0
            return .max(step)
        }

        /// Calls the closure, once.
        public func receive(completion: Subscribers.Completion<Failure>) {
            if upstream.close() { receiveCompletion(completion) } else { Undeliverable.note(completion) }
        }

        /// Cancels upstream; nothing is delivered after that.
        public func cancel() { upstream.cancel() }
    }
}

// The closures are Sendable, and upstream's deliveries are serial.
extension Subscribers.Windowed: @unchecked Sendable where Input: Sendable {}
