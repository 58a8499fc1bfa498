import Headgate

/// How to cut a stream of bytes into pieces.
struct Splitting: Sendable {
    let name: String
    let makeSplitter: @Sendable () -> any Splitter
}

extension Publishers {
    /// A publisher of the pieces of a stream of bytes: its lines or its frames.
    public struct Pieces<Upstream: Publisher, Output>: Publisher
    where Upstream.Output == Bytes, Upstream.Failure == SystemError {
        /// What goes wrong with upstream, or with the pieces.
        public typealias Failure = SystemError

        /// The publisher of the bytes.
        public let upstream: Upstream

        let splitting: Splitting
        let convert: @Sendable (Bytes) throws(SystemError) -> Output

        init(
            upstream: Upstream, splitting: Splitting,
            convert: @escaping @Sendable (Bytes) throws(SystemError) -> Output
        ) {
            self.upstream = upstream
            self.splitting = splitting
            self.convert = convert
        }

        /// Connects a subscriber through one conduit.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let convert = self.convert
            let conduit = SplittingConduit(
                name: splitting.name, splitter: splitting.makeSplitter(),
                downstream: SplittingConduit.Downstream(
                    receive: { (bytes) throws(SystemError) in subscriber.receive(try convert(bytes)) },
                    complete: { subscriber.receive(completion: $0) }))
            upstream.subscribe(
                AnySubscriber<Bytes, SystemError>(
                    receiveSubscription: { subscription in
                        if conduit.connect(subscription) { subscriber.receive(subscription: conduit) }
                    },
                    receiveValue: { bytes in
                        conduit.take(bytes)
                        return .none
                    },
                    receiveCompletion: { conduit.complete($0) }))
        }
    }
}

extension Publishers.Pieces: Sendable where Upstream: Sendable {}
