import HeadgateEngine

extension Publisher {
    /// Forwards everything, and prints a line for each event.
    ///
    /// ```
    /// self      1---2---|
    /// print     1---2---|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...2).publisher
    ///     .print("numbers")
    ///     .sink { _ in }
    /// // numbers: receive subscription: (1...2)
    /// // numbers: request unlimited
    /// // numbers: receive value: (1)
    /// // numbers: receive value: (2)
    /// // numbers: receive finished
    /// ```
    ///
    /// The other lines are `request max: (3)`, `receive error: (…)`, `receive cancel`, and, for demand returned for a
    /// value, `request max: (1) (synchronous)`. Requests and cancellations are printed even after the end, and so is a
    /// second subscription, which is refused.
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. Its line is written there,
    ///   or, if another thread is writing a line, possibly by that one.
    /// - **Complexity**: one line of text per event.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of each line, before a colon; omitted if empty.
    ///   - stream: The stream to write to, standard output by default. Each subscriber writes to a copy of its own if
    ///     the stream can be copied. The lines of a subscriber are written one at a time, on any thread.
    @preconcurrency @inlinable public func print(
        _ prefix: String = "", to stream: (any TextOutputStream & Sendable)? = nil
    ) -> Publishers.Print<Self> {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }
}

extension Publishers {
    /// A publisher that forwards everything and prints a line for each event.
    public struct Print<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output
        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The prefix of each line.
        public let prefix: String

        /// The upstream publisher.
        public let upstream: Upstream

        /// The stream to write to; `nil` is standard output.
        public let stream: (any TextOutputStream & Sendable)?

        /// Creates the publisher that `print(_:to:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, prefix: String, to stream: (any TextOutputStream & Sendable)? = nil
        ) {
            self.prefix = prefix
            self.upstream = upstream
            self.stream = stream
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let log = PrintLog(prefix: prefix, stream: stream)
            var observer = ClosureObserver<Output, Failure>()
            observer.subscription = { log.write("receive subscription: (\($0))") }
            observer.value = { log.write("receive value: (\($0))") }
            observer.completion = { completion in
                switch completion {
                case .finished: log.write("receive finished")
                case .failure(let failure): log.write("receive error: (\(failure))")
                }
            }
            observer.request = { log.write(PrintLog.line(for: $0)) }
            observer.answer = { log.write(PrintLog.line(for: $0) + " (synchronous)") }
            observer.cancel = { log.write("receive cancel") }
            upstream.receive(subscriber: ObservingConduit(name: "Print", observer, telling: .everySignal, subscriber))
        }
    }
}

extension Publishers.Print: Sendable where Upstream: Sendable {}

/// Writes one line at a time, from any thread.
///
/// The stream is user code, and a request may come from another thread than a value, or while a line is being written:
/// hence the drain.
@usableFromInline final class PrintLog {
    private let drain = Drain()
    private let prefix: String

    // Confined to the drain's owner.
    @exclusivity(unchecked) private var stream: any TextOutputStream

    @usableFromInline init(prefix: String, stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : prefix + ": "
        self.stream = stream ?? StandardOutput()
    }

    @usableFromInline func write(_ text: String) {
        drain.run { [self] in stream.writeLine(prefix + text) }
    }

    @usableFromInline static func line(for demand: Subscribers.Demand) -> String {
        demand.max.map { "request max: (\($0))" } ?? "request unlimited"
    }
}
