import Headgate
import HeadgateEngine
import HeadgateCore

extension Publisher {
    /// Passes everything on as it is, and reports what breaks the contract at this point of the chain.
    ///
    /// ```
    /// self         --1--2--|        asked for: 1
    /// validated    --1--2--|        reports rule 1.2 at the second value
    /// ```
    ///
    /// ```swift
    /// MisbehavingPublisher<Int, Never>(.ignoresDemand)
    ///     .validated("source") { print($0) }
    ///     .subscribe(TestSubscriber(.first(2)))
    /// // source: a value that was not asked for (rule 1.2 Values come only against demand: …)
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: a lock and a few comparisons for every event.
    ///
    /// - Parameters:
    ///   - stage: The name of this point of the chain.
    ///   - report: Told of each breach at the moment at which it happens, with the stage in front. Where it is missing,
    ///     the program stops.
    public func validated(
        _ stage: String, report: @escaping (ValidationReport) -> Void = { $0.stop() }
    ) -> Publishers.Validated<Self> {
        Publishers.Validated(upstream: self, stage: stage, report: report)
    }

    /// Passes everything on as it is, and stops the program at what breaks the contract at this point of the chain, which
    /// is named by its place in the source.
    ///
    /// - **Demand** and **Completion**: passed on as they are.
    public func validated(file: StaticString = #fileID, line: UInt = #line) -> Publishers.Validated<Self> {
        validated("\(file):\(line)")
    }
}

/// A breach of the contract at a point of a chain.
public struct ValidationReport: Hashable, Sendable, CustomStringConvertible {
    /// The name of the point.
    public let stage: String

    /// The rule and what was seen.
    public let breach: Breach

    /// The stage and the breach.
    public var description: String { "\(stage): \(breach)" }

    /// Stops the program with the report.
    public func stop() {
        programmerError(
            rule: breach.rule.description, found: "at \(stage), \(breach.finding)",
            remedy: "Verify the publisher in front of this stage with verify(publisher:).")
    }
}

extension Publishers {
    /// A publisher that passes everything on and reports what breaks the contract.
    public struct Validated<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// The name of this point of the chain.
        public let stage: String

        /// What is told of each breach.
        public let report: (ValidationReport) -> Void

        /// Makes the publisher that `validated(_:report:)` returns.
        public init(upstream: Upstream, stage: String, report: @escaping (ValidationReport) -> Void) {
            self.upstream = upstream
            self.stage = stage
            self.report = report
        }

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let inspector = Inspector<Output, Failure>(stage: stage, report: report)
            upstream.subscribe(Tap(AnySubscriber(subscriber), observer: inspector))
        }
    }
}

/// Watches one subscriber.
private final class Inspector<Value, Failure: Error>: TapObserver {
    private let stage: String
    private let report: (ValidationReport) -> Void
    private let monitor = Guarded(ContractMonitor())

    init(stage: String, report: @escaping (ValidationReport) -> Void) {
        self.stage = stage
        self.report = report
    }

    func note(_ event: StreamEvent<Value, Failure>) {
        for breach in monitor.withLock({ $0.note(event) }) { report(ValidationReport(stage: stage, breach: breach)) }
    }

    func noteCancelReturned() { monitor.withLock { $0.noteCancelReturned() } }
}
