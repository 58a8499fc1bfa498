import HeadgateCore

extension Publisher {
    /// Forwards everything unchanged, and reports breaches of the contract at this point of the chain.
    ///
    /// ```
    /// self         --1--2--|
    /// requests     ^1-------
    /// validated    --1--2--|
    /// report       -----r           rule 1.2
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// MisbehavingPublisher<Int, Never>(.ignoresDemand)
    ///     .validated("source") { print($0) }
    ///     .subscribe(TestSubscriber(.first(2)))
    /// // source: a value without demand (rule 1.2 Values are delivered only against demand: …)
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives. The closure is called on
    ///   the thread that breaks the rule, possibly by several threads at a time.
    /// - **Complexity**: a lock and a few comparisons per event.
    ///
    /// - Parameters:
    ///   - stage: The name of this point of the chain.
    ///   - report: Called with each breach when it happens; by default, stops the program.
    public func validated(
        _ stage: String, report: @escaping (ValidationReport) -> Void = { $0.stop() }
    ) -> Publishers.Validated<Self> {
        Publishers.Validated(upstream: self, stage: stage, report: report)
    }

    /// Forwards everything unchanged, and stops the program at a breach of the contract at this point of the chain,
    /// which is named by its source location.
    ///
    /// - **Demand** and **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives.
    public func validated(file: StaticString = #fileID, line: UInt = #line) -> Publishers.Validated<Self> {
        validated("\(file):\(line)")
    }
}

/// A breach of the contract at a point of a chain.
public struct ValidationReport: Hashable, Sendable, CustomStringConvertible {
    /// The name of the point.
    public let stage: String

    /// The rule and the observation.
    public let breach: Breach

    /// The stage and the breach.
    public var description: String { "\(stage): \(breach)" }

    /// Stops the program with the report.
    public func stop() {
        programmerError(
            rule: breach.rule.description, found: "at \(stage), \(breach.finding)",
            remedy: "Verify the publisher upstream of this stage with verify(publisher:).")
    }
}

extension Publishers {
    /// A publisher that forwards everything and reports breaches of the contract.
    public struct Validated<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The observed publisher.
        public let upstream: Upstream

        /// The name of this point of the chain.
        public let stage: String

        /// Called with each breach.
        public let report: (ValidationReport) -> Void

        /// Creates the publisher that `validated(_:report:)` returns.
        public init(upstream: Upstream, stage: String, report: @escaping (ValidationReport) -> Void) {
            self.upstream = upstream
            self.stage = stage
            self.report = report
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let monitor = Guarded(ContractMonitor())
            upstream.subscribe(
                ReportingSubscriber(AnySubscriber(subscriber)) { [stage, report] event in
                    for breach in monitor.withLock({ $0.note(event) }) {
                        report(ValidationReport(stage: stage, breach: breach))
                    }
                } onCancelReturned: {
                    monitor.withLock { $0.noteCancelReturned() }
                })
        }
    }
}
