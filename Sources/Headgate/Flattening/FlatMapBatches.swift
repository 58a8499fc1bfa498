extension Collection where Element: Publisher {
    /// Subscribes to the publishers of this collection in batches, and zips the values of each batch.
    ///
    /// ```
    /// [0]                    -1|
    /// [1]                    ---2|
    /// [2]                       ------3|
    /// flatMapBatches(of: 2)  ---[1,2]-[3]|
    /// ```
    ///
    /// ```swift
    /// let cancellable = [Just(1), Just(2), Just(3)]
    ///     .flatMapBatches(of: 2)
    ///     .sink { print($0) }
    /// // [1, 2]
    /// // [3]
    /// ```
    ///
    /// The next batch is subscribed to when the previous one has finished, that is, when no further array of one value
    /// of each publisher is possible.
    ///
    /// - **Demand**: forwarded to each batch.
    /// - **Completion**: finishes with the last batch; a failure is forwarded at once.
    /// - **Complexity**: constant time per value.
    /// - **Threads**: a batch is delivered on the thread of the publisher that completes it.
    ///
    /// - Parameter size: How many publishers are subscribed to at a time: at least one; traps otherwise.
    public func flatMapBatches(of size: Int) -> AnyPublisher<[Element.Output], Element.Failure> {
        require(
            size > 0, rule: "A batch must contain at least one publisher.", found: "flatMapBatches(of: \(size))",
            remedy: "Pass a number above zero.")
        // One batch is subscribed to at a time.
        nonisolated(unsafe) let publishers = Array(self)
        let size = Swift.min(size, Swift.max(1, publishers.count))
        // A collection knows its end, so that the stream completes right after its last value.
        return Array(stride(from: 0, to: publishers.count, by: size)).publisher
            .setFailureType(to: Element.Failure.self)
            .flatMap(maxPublishers: .max(1)) { publishers[$0...].prefix(size).zip() }
            .eraseToAnyPublisher()
    }
}
