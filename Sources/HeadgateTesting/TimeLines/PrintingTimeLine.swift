import HeadgateCore

extension Publisher {
    /// Forwards everything unchanged, and draws it as a time-line, which is shown when the stream has ended.
    ///
    /// ```
    /// self                --1--2--|
    /// printingTimeLine    --1--2--|
    /// ```
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// (1...3).publisher
    ///     .printingTimeLine("numbers")
    ///     .subscribe(TestSubscriber(.oneByOne))
    /// // numbers
    /// // values        --1-2-3-|
    /// // demand        ^1^1^1^1-
    /// // subscription  [-------]
    /// ```
    ///
    /// - **Demand**: forwarded unchanged.
    /// - **Completion**: forwarded unchanged.
    /// - **Threads**: upstream's: everything is forwarded on the thread on which it arrives; `show` is called on the
    ///   thread that ends the stream.
    /// - **Complexity**: one sign on the time-line per event.
    ///
    /// - Parameters:
    ///   - name: The title above the time-line.
    ///   - clock: The scheduler whose time is drawn; without one, every event gets a column of its own.
    ///   - column: The time that a column stands for.
    ///   - show: Called with the time-line as text.
    public func printingTimeLine(
        _ name: String, clock: TestScheduler? = nil, column: TestTime.Stride = .seconds(1),
        show: @escaping (String) -> Void = { Swift.print($0) }
    ) -> Publishers.PrintingTimeLine<Self> {
        Publishers.PrintingTimeLine(upstream: self, name: name, clock: clock, column: column, show: show)
    }
}

extension Publishers {
    /// A publisher that forwards everything and draws it as a time-line.
    public struct PrintingTimeLine<Upstream: Publisher>: Publisher {
        /// The type of the published values.
        public typealias Output = Upstream.Output

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The observed publisher.
        public let upstream: Upstream

        /// The title above the time-line.
        public let name: String

        /// The scheduler whose time is drawn.
        public let clock: TestScheduler?

        /// The time that a column stands for, if there is a clock.
        public let column: TestTime.Stride

        /// Called with the time-line.
        public let show: (String) -> Void

        /// Creates the publisher that `printingTimeLine(_:clock:column:show:)` returns.
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

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        public func receive(subscriber: some Subscriber<Output, Failure>) {
            let builder = Guarded(
                TimeLineBuilder(column: clock == nil ? nil : column, rows: Set(TimeLine.Row.allCases)))
            upstream.subscribe(
                ReportingSubscriber(AnySubscriber(subscriber)) { [name, clock, show] event in
                    let time = clock?.now ?? .zero
                    let line = builder.withLock {
                        $0.note(event, at: time)
                        return $0.line
                    }
                    switch event {
                    case .completion, .cancel: show("\(name)\n\(line)")
                    case .subscription, .request, .value, .answer: break
                    }
                })
        }
    }
}
