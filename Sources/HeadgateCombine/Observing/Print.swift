import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Passes everything on, and writes a line about each thing that happens.
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
    /// The other lines are `request max: (3)`, `receive error: (…)`, `receive cancel`, and `request max: (1) (synchronous)`
    /// for demand that is the answer to a value. Requests and cancellations show after the end too, and so does a second
    /// subscription, which is refused.
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: a line of text for each thing that happens.
    ///
    /// - Parameters:
    ///   - prefix: What each line begins with, before a colon; nothing if it is empty.
    ///   - stream: Where to write: the standard output if there is none. Each subscriber writes to a copy, where a copy
    ///     can be made. The lines of one subscriber come one at a time, on whatever thread.
    @inlinable public func print(_ prefix: String = "", to stream: (any TextOutputStream & StrictlySendable)? = nil)
        -> Publishers.Print<Self>
    {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }
}

extension Publishers {
    /// A publisher that passes everything on and writes a line about each thing that happens.
    public struct Print<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// What each line begins with.
        public let prefix: String

        /// The publisher that is written about.
        public let upstream: Upstream

        /// Where to write; `nil` is the standard output.
        public let stream: (any TextOutputStream & StrictlySendable)?

        /// Makes the publisher that `print(_:to:)` returns.
        @inlinable public init(
            upstream: Upstream, prefix: String, to stream: (any TextOutputStream & StrictlySendable)? = nil
        ) {
            self.prefix = prefix
            self.upstream = upstream
            self.stream = stream
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            let log = PrintLog(prefix: prefix, stream: stream)
            var observer = StreamObserver<Output, Failure>()
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
            upstream.receive(subscriber: ObservingConduit(name: "Print", observer, hearsEveryCall: true, subscriber))
        }
    }
}

extension Publishers.Print: StrictlySendable where Upstream: StrictlySendable {}

/// Writes lines one at a time, whatever the threads.
///
/// The stream is foreign code, and a request may come from another thread than a value, or from inside a line: hence
/// the drain.
@usableFromInline final class PrintLog {
    private let drain = Drain()
    private let prefix: String

    // Used by the owner of the drain, hence unchecked.
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
