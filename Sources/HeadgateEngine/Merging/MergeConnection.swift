import HeadgateCore

extension MergeConduit {
    /// Connects the conduit to one of the publishers that are merged.
    @usableFromInline package typealias Attach = (MergeSubscriber<Output, Failure>) -> Void

    @inlinable package static func attach<P: Publisher>(_ publisher: P) -> Attach
    where P.Output == Output, P.Failure == Failure {
        { publisher.receive(subscriber: $0) }
    }

    /// Connects a subscriber to the values of a number of publishers that is known from the start.
    @inlinable package static func connect(_ publishers: [Attach], to subscriber: some Subscriber<Output, Failure>) {
        let conduit = MergeConduit(name: "Merge", count: publishers.count, AnySubscriber(subscriber))
        subscriber.receive(subscription: conduit)
        for attach in publishers {
            if conduit.outstanding.isClosed { return }
            attach(conduit.member())
        }
        if publishers.isEmpty { conduit.perform(.demand) }
    }
}
