import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Subscribers {
    /// A subscriber of two closures that requests values by itself, so many ahead.
    ///
    /// Take it where `sink`, which requests everything, would be given more than it can handle, or as the end of a test of
    /// your own publisher.
    ///
    /// ```swift
    /// let window = Subscribers.Windowed<Int, Never>(size: 4, receiveValue: { print($0) })
    /// (1...3).publisher.subscribe(window)
    /// // 1
    /// // 2
    /// // 3
    /// ```
    ///
    /// - **Demand**: `size` values at the beginning, and half as many whenever so many have been heard.
    /// - **Completion**: told to the closure, once; the subscription is let go of.
    public final class Windowed<Input, Failure: Error>: Subscriber, Cancellable {
        /// The number of values that are requested ahead.
        public let size: Int

        let receiveValue: StreamClosure<Input, Void>

        let receiveCompletion: StreamClosure<Subscribers.Completion<Failure>, Void>

        let upstream = SubscriptionSlot()

        // Used inside deliveries alone, and those are serial; hence unchecked.
        @exclusivity(unchecked) var heard = 0

        /// Makes a subscriber of two closures.
        ///
        /// - Parameters:
        ///   - size: How many values to request ahead. A number below one is a programmer's error and traps.
        ///   - receiveCompletion: Hears how the stream ended, if it ends before it is cancelled.
        ///   - receiveValue: Hears each value. Both are called on the thread that delivers.
        public init(
            size: Int, receiveCompletion: @escaping StreamClosure<Subscribers.Completion<Failure>, Void> = { _ in },
            receiveValue: @escaping StreamClosure<Input, Void>
        ) {
            if size < 1 {
                programmerError(
                    rule: "A window holds one value at the least.", found: "Windowed(size: \(size))",
                    remedy: "Pass 1 to request values one by one.")
            }
            self.size = size
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        /// Requests the first values.
        public func receive(subscription: any Subscription) {
            if upstream.fill(with: subscription) { subscription.request(.max(size)) }
        }

        /// Tells the closure, unless the stream has ended or been cancelled.
        ///
        /// - Returns: Half a window, when so many values have been heard.
        public func receive(_ input: Input) -> Subscribers.Demand {
            if upstream.isClosed { return .none }
            receiveValue(input)
            heard += 1
            let step = size - size / 2
            if heard < step { return .none }
            heard = 0
            return .max(step)
        }

        /// Tells the closure, once.
        public func receive(completion: Subscribers.Completion<Failure>) {
            if upstream.close() { receiveCompletion(completion) }
        }

        /// Cancels upstream; nothing is heard after that.
        public func cancel() { upstream.cancel() }
    }
}
