import Headgate
import HeadgateEngine
import HeadgateCore

extension Publisher {
    /// Passes everything on as it is, and draws what passes as a time-line, which is shown when the stream is over.
    ///
    /// ```
    /// self                --1--2--|
    /// printingTimeLine    --1--2--|
    /// ```
    ///
    /// ```swift
    /// (1...3).publisher
    ///     .printingTimeLine("numbers")
    ///     .subscribe(TestSubscriber(.oneByOne))
    /// // numbers
    /// // values        --1-2-3-|
    /// // demand        ^1^1^1^1-
    /// // subscription  [-------]
    /// ```
    ///
    /// - **Demand**: passed on as it is.
    /// - **Completion**: passed on as it is.
    /// - **Complexity**: a sign on the time-line for every event.
    ///
    /// - Parameters:
    ///   - name: What is written above the time-line.
    ///   - clock: The scheduler whose time is drawn; where it is missing, everything gets a column of its own.
    ///   - column: How much time a column stands for.
    ///   - show: Told of the time-line, as text.
    public func printingTimeLine(
        _ name: String, clock: TestScheduler? = nil, column: TestTime.Stride = .seconds(1),
        show: @escaping (String) -> Void = { Swift.print($0) }
    ) -> Publishers.PrintingTimeLine<Self> {
        Publishers.PrintingTimeLine(upstream: self, name: name, clock: clock, column: column, show: show)
    }
}

extension Publishers {
    /// A publisher that passes everything on and draws it as a time-line.
    public struct PrintingTimeLine<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// What is written above the time-line.
        public let name: String

        /// The scheduler whose time is drawn.
        public let clock: TestScheduler?

        /// How much time a column stands for, if there is a clock.
        public let column: TestTime.Stride

        /// What is told of the time-line.
        public let show: (String) -> Void

        /// Makes the publisher that `printingTimeLine(_:clock:column:show:)` returns.
        public init(
            upstream: Upstream, name: String, clock: TestScheduler?, column: TestTime.Stride,
            show: @escaping (String) -> Void
        ) {
            self.upstream = upstream
            self.name = name
            self.clock = clock
            self.column = column
            self.show = show
        }

        /// Connects a subscriber.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let draughtsman = Draughtsman<Output, Failure>(
                name: name, clock: clock, column: clock == nil ? nil : column, show: show)
            upstream.subscribe(Tap(AnySubscriber(subscriber), observer: draughtsman))
        }
    }
}

/// Draws what one subscriber hears and says.
private final class Draughtsman<Value, Failure: Error>: TapObserver {
    private let name: String
    private let clock: TestScheduler?
    private let show: (String) -> Void
    private let builder: Guarded<TimeLineBuilder>

    init(name: String, clock: TestScheduler?, column: TestTime.Stride?, show: @escaping (String) -> Void) {
        self.name = name
        self.clock = clock
        self.show = show
        builder = Guarded(TimeLineBuilder(column: column, rows: Set(TimeLine.Row.allCases)))
    }

    func note(_ event: StreamEvent<Value, Failure>) {
        let time = clock?.now ?? .zero
        let line = builder.withLock {
            $0.note(event, at: time)
            return $0.line
        }
        switch event {
        case .completion, .cancel: show("\(name)\n\(line)")
        case .subscription, .request, .value, .answer: break
        }
    }
}
