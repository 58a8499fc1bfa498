import HeadgateEngine

/// A failure that has passed a checkpoint, with the checkpoints downstream of it.
public struct CheckpointReport: Sendable {
    /// One checkpoint of a stream.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// Its name.
        public let name: String

        /// The file that contains it.
        public let file: String

        /// The line that contains it.
        public let line: UInt

        /// Creates a place from its parts.
        public init(name: String, file: String, line: UInt) {
            self.name = name
            self.file = file
            self.line = line
        }

        /// The name and the location, as in `orders (Shop/Orders.swift:12)`.
        public var description: String { "\(name) (\(file):\(line))" }
    }

    /// The checkpoints from the reporting one down to the subscriber.
    public let path: [Place]

    /// The failure.
    public let failure: any Error

    /// Creates a report from its parts.
    public init(path: [Place], failure: any Error) {
        self.path = path
        self.failure = failure
    }

    /// Writes a report to standard error, as one line.
    public static func writeToStandardError(_ report: CheckpointReport) {
        printToStandardError("\(report)\n")
    }
}

extension CheckpointReport: CustomStringConvertible {
    /// One line: the failure, and its path from the source to the subscriber.
    public var description: String {
        "\(failure) passed " + path.map(\.description).joined(separator: ", then ")
    }
}

extension Publisher {
    /// Reports each failure that passes, with its path through the checkpoints.
    ///
    /// ```
    /// self        1---2---x
    /// checkpoint  1---2---x   report(failure and its way)
    /// ```
    ///
    /// ```swift
    /// struct Refused: Error {}
    /// let cancellable = Fail<Int, Refused>(error: Refused())
    ///     .checkpoint("stock", file: "Shop/Stock.swift", line: 7) { print($0) }
    ///     .map { $0 * 2 }
    ///     .checkpoint("orders", file: "Shop/Orders.swift", line: 12) { _ in }
    ///     .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    /// // Refused() passed stock (Shop/Stock.swift:7), then orders (Shop/Orders.swift:12)
    /// ```
    ///
    /// The path is recorded on subscription, so it is complete on whatever thread the failure passes. Streams that are
    /// subscribed to later, as inside a `flatMap` or by a retry, have a path of their own. Each checkpoint that a
    /// failure passes reports it, the first one with the longest path.
    ///
    /// - **Demand** and **Completion**: forwarded.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives, and the closure is called
    ///   on that on which upstream fails.
    /// - **Complexity**: no cost per value.
    ///
    /// - Parameters:
    ///   - name: The name of the checkpoint.
    ///   - file: The file to report.
    ///   - line: The line to report.
    ///   - report: Called with each failure, before it is delivered, on the delivering thread.
    @preconcurrency @inlinable public func checkpoint(
        _ name: String, file: String = #fileID, line: UInt = #line,
        report: @escaping @Sendable (CheckpointReport) -> Void = CheckpointReport.writeToStandardError
    ) -> Publishers.Checkpoint<Self> {
        Publishers.Checkpoint(
            upstream: self, place: CheckpointReport.Place(name: name, file: file, line: line), report: report)
    }
}

extension Publishers {
    /// A publisher that reports upstream's failure.
    public struct Checkpoint<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The name and location of this checkpoint.
        public let place: CheckpointReport.Place

        /// Called with each failure.
        public let report: @Sendable (CheckpointReport) -> Void

        /// Creates the publisher that `checkpoint(_:)` returns.
        @preconcurrency @inlinable public init(
            upstream: Upstream, place: CheckpointReport.Place, report: @escaping @Sendable (CheckpointReport) -> Void
        ) {
            self.upstream = upstream
            self.place = place
            self.report = report
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            CheckpointPath.extend(place) { path in
                upstream.receive(subscriber: TransparentConduit(CheckpointObserver(path, report), subscriber))
            }
        }
    }
}

extension Publishers.Checkpoint: Sendable where Upstream: Sendable {}

/// Reports the failure that passes.
@usableFromInline struct CheckpointObserver<Value, Failure: Error>: StreamObserver {
    @usableFromInline let path: CheckpointPath

    @usableFromInline let report: (CheckpointReport) -> Void

    @inlinable init(_ path: CheckpointPath, _ report: @escaping (CheckpointReport) -> Void) {
        self.path = path
        self.report = report
    }

    @inlinable func completed(_ completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion {
            report(CheckpointReport(path: path.places, failure: failure))
        }
    }
}

/// The checkpoints from one down to the subscriber.
@usableFromInline final class CheckpointPath: Sendable {
    /// The path from the publisher that is being subscribed to down to the subscriber.
    @TaskLocal private static var current: CheckpointPath?

    private let place: CheckpointReport.Place

    private let next: CheckpointPath?

    private init(place: CheckpointReport.Place, next: CheckpointPath?) {
        self.place = place
        self.next = next
    }

    /// Prepends a place to the path for the duration of a subscription.
    @usableFromInline static func extend(_ place: CheckpointReport.Place, _ subscribe: (CheckpointPath) -> Void) {
        let path = CheckpointPath(place: place, next: current)
        $current.withValue(path) { subscribe(path) }
    }

    /// The places, this one first.
    @usableFromInline var places: [CheckpointReport.Place] {
        Array(sequence(first: self, next: \.next).lazy.map(\.place))
    }
}

extension CheckpointReport.Place: SelfDescribing {}
