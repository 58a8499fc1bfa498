import HeadgateEngine

extension Publisher {
    /// Splits the values into publishers of `count` values each.
    ///
    /// Drops values of a window without a subscriber if `unread` says so, and the rest of one whose subscriber has
    /// cancelled; `onDrop` receives them. To keep them, pass `.hold`, or use `batch`.
    ///
    /// ```
    /// self    1---2---3---4---5--|
    /// window  2
    ///         a-------b-------c--|
    /// a       1---2|
    /// b               3---4|
    /// c                       5--|
    /// ```
    ///
    /// ```swift
    /// let cancellable = (1...5).publisher
    ///     .window(count: 2, unread: .hold)
    ///     .flatMap { $0.reduce(0, +) }
    ///     .sink { print($0) }
    /// // 3
    /// // 7
    /// // 5
    /// ```
    ///
    /// Unlike a batch, a window is published with its first value, and its values are buffered only while they wait for
    /// demand. A window begins with a value, so no window is empty. Each accepts one subscriber; any other gets a
    /// stream that finishes at once.
    ///
    /// - **Demand**: requests `buffer` values ahead from upstream. Each is replaced after its delivery. Values that
    ///   wait for demand are not replaced, and so hold upstream back.
    /// - **Completion**: the last window finishes or fails with upstream, after its values; the stream of windows
    ///   completes after the last window. After the stream of windows is cancelled, no further windows are
    ///   created; the one with a subscriber continues.
    /// - **Threads**: a window or a value is delivered on the thread on which upstream delivers, or on that of the
    ///   request that it has waited for. All windows share one turn: a request that is made while another thread
    ///   delivers to any window is served by that thread.
    /// - **Complexity**: constant time per value; memory for `buffer` values.
    ///
    /// - Parameters:
    ///   - count: The number of values of each window except the last: at least one; traps otherwise.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - unread: What happens to the values of a window without a subscriber.
    ///   - onDrop: Called with each dropped value, on the delivering thread.
    @preconcurrency @inlinable public func window(
        count: Int, buffer: Int = 16, unread: Publishers.UnreadWindow, onDrop: (@Sendable (Output) -> Void)? = nil
    ) -> Publishers.Windows<Self, Empty<Never, Failure>, ImmediateScheduler> {
        Publishers.Windows(
            upstream: self, count: count, boundary: nil, opening: nil, buffer: buffer, unread: unread, onDrop: onDrop)
    }

    /// Splits the values into publishers, each of which has the values of one interval.
    ///
    /// ```swift
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// let scheduler = TestScheduler()
    /// let requests = PassthroughSubject<String, Never>()
    /// let cancellable = requests
    ///     .window(within: .seconds(1), scheduler: scheduler, unread: .skip)
    ///     .flatMap { $0.count() }
    ///     .sink { print($0) }
    /// requests.send("a")
    /// requests.send("b")
    /// scheduler.advance(by: .seconds(1))
    /// // 2
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `window(count:buffer:unread:onDrop:)`;
    /// the scheduler runs one job per window.
    ///
    /// - Parameters:
    ///   - interval: How long a window stays open after its first value.
    ///   - scheduler: The scheduler that measures time. Windows finish there.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - unread: What happens to the values of a window without a subscriber.
    ///   - onDrop: Called with each dropped value, on the delivering thread.
    @preconcurrency @inlinable public func window<S: Scheduler>(
        within interval: S.SchedulerTimeType.Stride, scheduler: S, buffer: Int = 16,
        unread: Publishers.UnreadWindow, onDrop: (@Sendable (Output) -> Void)? = nil
    ) -> Publishers.Windows<Self, Empty<Never, Failure>, S> {
        Publishers.Windows(
            upstream: self, count: .max, boundary: nil, opening: (interval, scheduler), buffer: buffer,
            unread: unread, onDrop: onDrop)
    }

    /// Splits the values into publishers, each of which finishes when another publisher publishes.
    ///
    /// ```swift
    /// let lines = PassthroughSubject<String, Never>()
    /// let rotations = PassthroughSubject<Void, Never>()
    /// let cancellable = lines
    ///     .window(on: rotations, unread: .skip)
    ///     .flatMap { $0.collect() }
    ///     .sink { print($0) }
    /// lines.send("a")
    /// lines.send("b")
    /// rotations.send()
    /// lines.send("c")
    /// lines.send(completion: .finished)
    /// // ["a", "b"]
    /// // ["c"]
    /// ```
    ///
    /// **Demand**, **Completion**, **Threads** and **Complexity** are those of `window(count:buffer:unread:onDrop:)`.
    /// Requests unlimited values from the boundary. When it finishes, the open window continues until upstream
    /// completes; when it fails, everything fails at once.
    ///
    /// - Parameters:
    ///   - boundary: The publisher whose values end windows.
    ///   - buffer: The maximum number of waiting values: at least one; traps otherwise.
    ///   - unread: What happens to the values of a window without a subscriber.
    ///   - onDrop: Called with each dropped value, on the delivering thread.
    @preconcurrency @inlinable public func window<Boundary: Publisher>(
        on boundary: Boundary, buffer: Int = 16, unread: Publishers.UnreadWindow,
        onDrop: (@Sendable (Output) -> Void)? = nil
    ) -> Publishers.Windows<Self, Boundary, ImmediateScheduler> where Boundary.Failure == Failure {
        Publishers.Windows(
            upstream: self, count: .max, boundary: boundary, opening: nil, buffer: buffer, unread: unread,
            onDrop: onDrop)
    }
}

extension Publishers {
    /// What happens to the values of a window without a subscriber.
    public enum UnreadWindow: Sendable {
        /// They wait for a subscriber, and hold upstream back.
        case hold
        /// Up to `buffer` values are kept for a late subscriber, and the others are dropped.
        case skip
    }

    /// The values of one window, for one subscriber.
    public struct Window<Output, Failure: Error>: Publisher {
        @usableFromInline let values: BranchValues<Void, Output, Failure>

        @inlinable init(branch: Branch<Void, Output, Failure>) { values = BranchValues(branch: branch) }

        /// Connects the one subscriber; any other gets a stream that finishes at once.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            values.receive(subscriber: subscriber)
        }
    }

    /// A publisher of windows of upstream's values.
    public struct Windows<Upstream: Publisher, Boundary: Publisher, Context: Scheduler>: Publisher
    where Boundary.Failure == Upstream.Failure {
        /// The type of the published values.
        public typealias Output = Window<Upstream.Output, Upstream.Failure>

        /// The type of error that the stream may fail with.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of values of a window.
        public let count: Int

        /// The publisher whose values end windows.
        public let boundary: Boundary?

        /// The maximum number of waiting values.
        public let buffer: Int

        /// What happens to the values of a window without a subscriber.
        public let unread: UnreadWindow

        /// Called with each dropped value.
        public let onDrop: (@Sendable (Upstream.Output) -> Void)?

        @usableFromInline let opening: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, count: Int, boundary: Boundary?,
            opening: (Context.SchedulerTimeType.Stride, Context)?, buffer: Int, unread: UnreadWindow,
            onDrop: (@Sendable (Upstream.Output) -> Void)?
        ) {
            requireLimit(count, "window(count:)")
            requireLimit(buffer, "window(buffer:)")
            self.upstream = upstream
            self.count = count
            self.boundary = boundary
            self.opening = opening
            self.buffer = buffer
            self.unread = unread
            self.onDrop = onDrop
        }

        /// Attaches a subscriber; `subscribe(_:)` calls this.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            typealias Conduit = WindowConduit<Upstream.Output, Failure, Context>
            let step = _MapStep<Conduit.Output, Failure, Output> { Window(branch: $0) }
            let subscriber = StepConduit(step, subscriber)
            let conduit = Conduit(
                size: count, buffer: buffer, holdsUnread: unread == .hold,
                opening: opening.map { TimeSpan($0.0, on: $0.1) },
                onDrop: Undeliverable.reporting(onDrop, by: "window"), AnySubscriber(subscriber))
            conduit.connect(subscriber) {
                upstream.receive(subscriber: WaitingInlet(conduit))
                if let boundary { conduit.attach(boundary: boundary) }
            }
        }
    }
}

extension Publishers.Window: Sendable where Output: Sendable {}

extension Publishers.Windows: Sendable
where
    Upstream: Sendable, Boundary: Sendable, Context.SchedulerTimeType.Stride: Sendable,
    Context: Sendable
{}
