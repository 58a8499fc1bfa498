import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Divides the values between publishers of so many values each.
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
    /// Unlike `batch`, a window is there with its first value, and its values are not kept longer than they wait for
    /// demand. A window begins with a value, so there is none without one. Each takes one subscriber; further ones finish
    /// at once. What is left of a window whose subscriber has cancelled is dropped.
    ///
    /// - **Demand**: upstream is requested `buffer` values ahead. Each is replaced when it has been delivered. Values that
    ///   wait for demand are not, and so hold upstream back.
    /// - **Completion**: the last window finishes or fails with upstream, after its values; the stream of windows does so
    ///   after the last window. Who cancels the stream of windows gets no further ones, and the one that has a subscriber
    ///   goes on.
    /// - **Complexity**: constant time per value; memory for `buffer` values.
    ///
    /// - Parameters:
    ///   - count: How many values each window has but the last: at least one, or it is a programmer's error and traps.
    ///   - buffer: How many values may wait: at least one, or it traps.
    ///   - unread: What happens to the values of a window that nobody has subscribed to.
    ///   - onDrop: Told of each value that is dropped, on the thread that delivers it.
    @inlinable public func window(
        count: Int, buffer: Int = 16, unread: Publishers.UnreadWindow, onDrop: StreamClosure<Output, Void>? = nil
    ) -> Publishers.Windows<Self, Empty<Never, Failure>, ImmediateScheduler> {
        Publishers.Windows(
            upstream: self, count: count, boundary: nil, opening: nil, buffer: buffer, unread: unread, onDrop: onDrop)
    }

    /// Divides the values between publishers, each of which takes what comes in a length of time.
    ///
    /// ```swift
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
    /// **Demand**, **Completion** and **Complexity** are those of `window(count:buffer:unread:onDrop:)`, and there is a job
    /// of the scheduler for each window.
    ///
    /// - Parameters:
    ///   - interval: How long a window stays open after its first value.
    ///   - scheduler: What tells the time. Windows finish there.
    ///   - buffer: How many values may wait: at least one, or it is a programmer's error and traps.
    ///   - unread: What happens to the values of a window that nobody has subscribed to.
    ///   - onDrop: Told of each value that is dropped, on the thread that delivers it.
    @inlinable public func window<S: Scheduler>(
        within interval: S.SchedulerTimeType.Stride, scheduler: S, buffer: Int = 16,
        unread: Publishers.UnreadWindow, onDrop: StreamClosure<Output, Void>? = nil
    ) -> Publishers.Windows<Self, Empty<Never, Failure>, S> {
        Publishers.Windows(
            upstream: self, count: .max, boundary: nil, opening: (interval, scheduler), buffer: buffer,
            unread: unread, onDrop: onDrop)
    }

    /// Divides the values between publishers, of which each ends when another publisher publishes something.
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
    /// **Demand**, **Completion** and **Complexity** are those of `window(count:buffer:unread:onDrop:)`. The boundary is
    /// requested everything from. Where it finishes, the window that is open goes on to the end; where it fails, everything
    /// fails at once.
    ///
    /// - Parameters:
    ///   - boundary: The publisher whose values end windows.
    ///   - buffer: How many values may wait: at least one, or it is a programmer's error and traps.
    ///   - unread: What happens to the values of a window that nobody has subscribed to.
    ///   - onDrop: Told of each value that is dropped, on the thread that delivers it.
    @inlinable public func window<Boundary: Publisher>(
        on boundary: Boundary, buffer: Int = 16, unread: Publishers.UnreadWindow,
        onDrop: StreamClosure<Output, Void>? = nil
    ) -> Publishers.Windows<Self, Boundary, ImmediateScheduler> where Boundary.Failure == Failure {
        Publishers.Windows(
            upstream: self, count: .max, boundary: boundary, opening: nil, buffer: buffer, unread: unread,
            onDrop: onDrop)
    }
}

extension Publishers {
    /// What happens to the values of a window that nobody has subscribed to.
    public enum UnreadWindow: Sendable {
        /// They wait for a subscriber, and hold upstream back.
        case hold
        /// As many as may wait are kept for a late subscriber, and the others are dropped.
        case skip
    }

    /// The values of one window, for one subscriber.
    public struct Window<Output, Failure: Error>: Publisher {
        @usableFromInline let branch: Branch<Void, Output, Failure>

        @inlinable init(branch: Branch<Void, Output, Failure>) { self.branch = branch }

        /// Connects the one subscriber; any other finishes at once.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            branch.attach(subscriber)
        }
    }

    /// A publisher of windows of the values of another publisher.
    public struct Windows<Upstream: Publisher, Boundary: Publisher, Context: Scheduler>: Publisher
    where Boundary.Failure == Upstream.Failure {
        /// A publisher of the values of one window.
        public typealias Output = Window<Upstream.Output, Upstream.Failure>

        /// The errors of upstream and of the boundary.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are divided.
        public let upstream: Upstream

        /// How many values a window has at the most.
        public let count: Int

        /// The publisher whose values end windows.
        public let boundary: Boundary?

        /// How many values may wait.
        public let buffer: Int

        /// What happens to the values of a window that nobody has subscribed to.
        public let unread: UnreadWindow

        /// What is told of a value that is dropped.
        public let onDrop: StreamClosure<Upstream.Output, Void>?

        @usableFromInline let opening: (Context.SchedulerTimeType.Stride, Context)?

        @inlinable init(
            upstream: Upstream, count: Int, boundary: Boundary?,
            opening: (Context.SchedulerTimeType.Stride, Context)?, buffer: Int, unread: UnreadWindow,
            onDrop: StreamClosure<Upstream.Output, Void>?
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

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            WindowBranches(windows: self)
                .map { Window(branch: $0) }
                .receive(subscriber: subscriber)
        }
    }
}

extension Publishers.Window: StrictlySendable where Output: StrictlySendable {}

extension Publishers.Windows: StrictlySendable
where
    Upstream: StrictlySendable, Boundary: StrictlySendable, Context.SchedulerTimeType.Stride: StrictlySendable,
    Context: StrictlySendable
{}

/// The windows as the engine knows them.
@usableFromInline struct WindowBranches<Upstream: Publisher, Boundary: Publisher, Context: Scheduler>: Publisher
where Boundary.Failure == Upstream.Failure {
    @usableFromInline typealias Output = Branch<Void, Upstream.Output, Upstream.Failure>

    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let windows: Publishers.Windows<Upstream, Boundary, Context>

    @inlinable init(windows: Publishers.Windows<Upstream, Boundary, Context>) { self.windows = windows }

    @inlinable func receive(subscriber: some Subscriber<Output, Failure>) {
        let conduit = WindowConduit<Upstream.Output, Failure, Context>(
            size: windows.count, buffer: windows.buffer, holdsUnread: windows.unread == .hold,
            opening: windows.opening.map { TimeSpan($0.0, on: $0.1) }, onDrop: Undeliverable.telling(windows.onDrop),
            AnySubscriber(subscriber))
        conduit.connect(windows.upstream, to: subscriber) {
            windows.boundary?.receive(subscriber: BoundaryInlet(conduit))
        }
    }
}
