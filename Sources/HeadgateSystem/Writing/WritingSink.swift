/// Writes everything it receives, and replaces the demand for what has been written.
@usableFromInline package final class WritingSink<Failure: Error>: Subscriber, Cancellable, Sendable {
    @usableFromInline package typealias Input = Bytes

    private let writer: Writer

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - bufferSize: How many bytes may wait, estimated by the average size of the values, and the maximum size of
    ///     small values that are combined for one call.
    ///   - stallLimit: How long there may be no room.
    ///   - open: Opens the destination, on the queue when the subscription has arrived.
    ///   - onEnd: Called once, on the queue, unless cancelled.
    package init(
        on queue: DeliveryQueue, bufferSize: Int, stallLimit: StallLimit? = nil,
        open: @escaping () throws(SystemError) -> any WritingDestination,
        onEnd: @escaping (Written<Failure>) -> Void
    ) {
        writer = Writer(on: queue, bufferSize: bufferSize, stallLimit: stallLimit, open: open) { outcome in
            switch outcome {
            case .finished(let bytes): onEnd(.finished(bytes: bytes))
            case .readerClosed(let bytes): onEnd(.readerClosed(bytes: bytes))
            case .failed(let error, let bytes): onEnd(.failed(error, bytes: bytes))
            case .upstreamFailed(let failure, let bytes):
                if let failure = failure as? Failure { onEnd(.upstreamFailed(failure, bytes: bytes)) }
            }
        }
    }

    @usableFromInline package func receive(subscription: any Subscription) { writer.connect(subscription) }

    @usableFromInline package func receive(_ input: Bytes) -> Subscribers.Demand { .max(writer.take(input)) }

    @usableFromInline package func receive(completion: Subscribers.Completion<Failure>) {
        writer.complete(completion.mapFailure { $0 })
    }

    @usableFromInline package func cancel() { writer.cancel() }
}

extension WritingSink {
    /// Creates a sink that writes to a file.
    @usableFromInline convenience init(
        to file: File, mode: WritingMode, bufferSize: Int, durability: Durability, stallLimit: StallLimit?,
        onEnd: @escaping (Written<Failure>) -> Void
    ) {
        checkSize(bufferSize, ofA: "buffer")
        self.init(
            on: .waiting("writing"), bufferSize: bufferSize, stallLimit: stallLimit,
            open: { () throws(SystemError) in try file.open(mode: mode, durability: durability) }, onEnd: onEnd)
    }

    /// Creates a sink that writes to a connection.
    @usableFromInline convenience init(
        to connection: Connection, bufferSize: Int, keepsOpen: Bool, stallLimit: StallLimit?,
        onEnd: @escaping (Written<Failure>) -> Void
    ) {
        checkSize(bufferSize, ofA: "buffer")
        self.init(
            on: connection.queue, bufferSize: bufferSize, stallLimit: stallLimit,
            open: { () throws(SystemError) in try SocketDestination(connection, keepsOpen: keepsOpen) }, onEnd: onEnd)
    }
}

extension Publisher where Output == Bytes {
    /// Subscribes a sink that writes.
    ///
    /// A shutdown waits for it if this stream is under way there, but not because a stream whose value is being delivered
    /// now is.
    @inlinable func subscribe(writing sink: WritingSink<Failure>) { PendingStream.withoutCurrent { subscribe(sink) } }
}
