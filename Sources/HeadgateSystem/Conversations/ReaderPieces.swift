import HeadgateEngine

extension Publishers {
    /// A publisher of pieces that are taken from a reader, each when it is requested.
    public struct ReaderPieces<Failure: Error>: Publisher, Sendable {
        /// The type of the published values.
        public typealias Output = Bytes

        let reader: ByteReader<Failure>
        let makeSplitter: @Sendable () -> Splitter

        /// Connects a subscriber; from a request to the piece that answers it, it is the one that reads.
        @inlinable public func receive(subscriber: some Subscriber<Bytes, Failure>) { serve(AnySubscriber(subscriber)) }

        @usableFromInline func serve(_ subscriber: AnySubscriber<Bytes, Failure>) {
            let conduit = PollingConduit<ReaderSource<Failure>>(
                name: "ReaderPieces", on: .immediate, to: subscriber
            ) { [reader, makeSplitter] () throws(Failure) in ReaderSource(reader, makeSplitter()) }
            conduit.send(to: subscriber)
        }
    }
}

/// The pieces of a reader; gives back what it has not used with each piece, and when it is released.
final class ReaderSource<Failure: Error>: Pollable {
    // Retains the reader, which would cancel upstream otherwise.
    private let reader: ByteReader<Failure>
    private let splitter: Splitter
    private var isReading = false

    init(_ reader: ByteReader<Failure>, _ splitter: Splitter) {
        self.reader = reader
        self.splitter = splitter
    }

    deinit { if isReading { reader.unread.end(splitter) } }

    func poll() throws(Failure) -> Poll<Bytes> {
        if !isReading { try reader.unread.begin() }
        isReading = true
        let result = try reader.unread.poll(splitter)
        switch result {
        case .value, .last:
            // Before it is delivered: its receiver may begin the next step, on any thread.
            isReading = false
            reader.unread.end(splitter)
        case .finished, .pending, .postponed: break
        }
        return result
    }

    func waiting(on queue: DeliveryQueue) -> PollingWait { queue.calledBack(by: reader.unread.wait) }
}
