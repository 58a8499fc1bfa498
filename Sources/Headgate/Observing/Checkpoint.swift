import HeadgateCombine
import HeadgateCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A failure that has passed a checkpoint, and the way that was before it.
public struct CheckpointReport: Sendable {
    /// One checkpoint of a stream.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// What it is called.
        public let name: String

        /// The file in which it stands.
        public let file: String

        /// The line in which it stands.
        public let line: UInt

        /// Makes a place of its parts.
        public init(name: String, file: String, line: UInt) {
            self.name = name
            self.file = file
            self.line = line
        }

        /// As in `orders (Shop/Orders.swift:12)`.
        public var description: String { "\(name) (\(file):\(line))" }
    }

    /// The checkpoints from the one that reports down to the subscriber.
    public let path: [Place]

    /// The failure.
    public let failure: any Error

    /// Makes a report of its parts.
    public init(path: [Place], failure: any Error) {
        self.path = path
        self.failure = failure
    }

    /// Writes a report to the standard error, as one line.
    public static func writeToStandardError(_ report: CheckpointReport) {
        var text = "\(report)\n"
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
    }
}

extension CheckpointReport: CustomStringConvertible {
    /// One line: the failure, and the way from its source to the subscriber.
    public var description: String {
        "\(failure) passed " + path.map(\.description).joined(separator: ", then ")
    }
}

extension Publisher {
    /// Reports a failure that passes, with the checkpoints on its way.
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
    /// The way is known from the subscription, so it is complete on whatever thread the failure passes. Streams that are
    /// subscribed to later, as inside a `flatMap` or by a retry, have a way of their own. Each checkpoint that a failure
    /// passes reports it, the first with the longest way.
    ///
    /// - **Demand** and **Completion**: passed on as they are.
    /// - **Complexity**: nothing is added to the path of a value.
    ///
    /// - Parameters:
    ///   - name: What the place is called.
    ///   - file: The file that is reported.
    ///   - line: The line that is reported.
    ///   - report: Hears of a failure before the subscriber does, on the thread on which it passes.
    @inlinable public func checkpoint(
        _ name: String, file: String = #fileID, line: UInt = #line,
        report: @escaping StreamClosure<CheckpointReport, Void> = CheckpointReport.writeToStandardError
    ) -> Publishers.Checkpoint<Self> {
        Publishers.Checkpoint(
            upstream: self, place: CheckpointReport.Place(name: name, file: file, line: line), report: report)
    }
}

extension Publishers {
    /// A publisher that reports the failure of another one.
    public struct Checkpoint<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that may fail.
        public let upstream: Upstream

        /// What is reported of this checkpoint.
        public let place: CheckpointReport.Place

        /// What hears of a failure.
        public let report: StreamClosure<CheckpointReport, Void>

        /// Makes the publisher that `checkpoint(_:)` returns.
        @inlinable public init(
            upstream: Upstream, place: CheckpointReport.Place, report: @escaping StreamClosure<CheckpointReport, Void>
        ) {
            self.upstream = upstream
            self.place = place
            self.report = report
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            CheckpointWay.follow(place) { way in
                upstream.receive(subscriber: CheckpointSubscriber(way, report, subscriber))
            }
        }
    }
}

extension Publishers.Checkpoint: StrictlySendable where Upstream: StrictlySendable {}

/// Passes everything on as it is, and reports a failure before.
@usableFromInline struct CheckpointSubscriber<Downstream: Subscriber>: Subscriber {
    @usableFromInline typealias Input = Downstream.Input

    @usableFromInline typealias Failure = Downstream.Failure

    @usableFromInline let way: CheckpointWay

    @usableFromInline let report: (CheckpointReport) -> Void

    @usableFromInline let downstream: Downstream

    @inlinable init(_ way: CheckpointWay, _ report: @escaping (CheckpointReport) -> Void, _ downstream: Downstream) {
        self.way = way
        self.report = report
        self.downstream = downstream
    }

    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

    @inlinable func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    @inlinable @inline(__always) func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if case .failure(let failure) = completion {
            report(CheckpointReport(path: way.places, failure: failure))
        }
        downstream.receive(completion: completion)
    }
}

/// The checkpoints from one down to the subscriber.
@usableFromInline final class CheckpointWay: Sendable {
    /// The way from what is being subscribed to down to the subscriber.
    @TaskLocal private static var current: CheckpointWay?

    private let place: CheckpointReport.Place

    private let next: CheckpointWay?

    private init(place: CheckpointReport.Place, next: CheckpointWay?) {
        self.place = place
        self.next = next
    }

    /// Makes the way longer by one place while something is subscribed to.
    @usableFromInline static func follow(_ place: CheckpointReport.Place, _ subscribe: (CheckpointWay) -> Void) {
        let way = CheckpointWay(place: place, next: current)
        $current.withValue(way) { subscribe(way) }
    }

    /// The places, this one first.
    @usableFromInline var places: [CheckpointReport.Place] {
        Array(sequence(first: self, next: \.next).lazy.map(\.place))
    }
}
