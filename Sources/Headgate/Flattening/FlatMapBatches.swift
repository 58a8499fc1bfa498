import HeadgateCombine
import HeadgateCore

extension Collection where Element: Publisher {
    /// Subscribes to the publishers of this collection a batch at a time, and publishes the values of each batch together.
    ///
    /// ```swift
    /// let cancellable = [Just(1), Just(2), Just(3)]
    ///     .flatMapBatches(of: 2)
    ///     .sink { print($0) }
    /// // [1, 2]
    /// // [3]
    /// ```
    ///
    /// The next batch is subscribed to when the last one has finished, which it has when no further row of one value of each
    /// publisher can come.
    ///
    /// - **Demand**: each batch is asked for the rows that are wanted.
    /// - **Completion**: finishes with the last batch; a failure is passed on at once.
    /// - **Complexity**: constant time a value.
    ///
    /// - Parameter size: How many publishers are subscribed to at a time: at least one, or it traps.
    public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure>
    where Element: StrictlySendable {
        if size < 1 {
            programmerError(
                rule: "A batch has one publisher at the least.", found: "flatMapBatches(of: \(size))",
                remedy: "Pass a number above zero.")
        }
        let publishers = Array(self)
        let size = Swift.min(size, Swift.max(1, publishers.count))
        return stride(from: 0, to: publishers.count, by: size).publisher
            .setFailureType(to: Element.Failure.self)
            .flatMap(maxPublishers: .max(1)) { publishers[$0...].prefix(size).zip() }
            .eraseToAnyPublisher()
    }
}
