import HeadgateEngine

/// Publishes the values of a source, which is opened for each subscriber at its first demand.
package struct PollingPublisher<Source: Pollable>: Publisher, Sendable
where Source.Failure == SystemError, Source.Place == DeliveryQueue {
    package typealias Output = Source.Output
    package typealias Failure = SystemError

    private let name: StaticString
    private let makeQueue: @Sendable () -> DeliveryQueue
    private let open: @Sendable () throws(SystemError) -> Source

    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - name: The name of its subscriptions in a log.
    ///   - makeQueue: Creates the queue of one subscription.
    ///   - open: Opens the source, on that queue.
    package init(
        name: StaticString, on makeQueue: @escaping @Sendable () -> DeliveryQueue,
        open: @escaping @Sendable () throws(SystemError) -> Source
    ) {
        self.name = name
        self.makeQueue = makeQueue
        self.open = open
    }

    package func receive(subscriber: some Subscriber<Output, Failure>) { serve(AnySubscriber(subscriber)) }

    /// Connects a subscriber that has been erased where its type is known.
    func serve(_ subscriber: AnySubscriber<Output, Failure>) {
        let conduit = PollingConduit<Source>(name: name, on: makeQueue(), to: subscriber, open: open)
        conduit.send(to: subscriber)
    }
}
