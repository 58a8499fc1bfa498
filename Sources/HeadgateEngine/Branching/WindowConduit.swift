import HeadgateCore

/// Divides values into windows that follow each other.
@usableFromInline
package final class WindowConduit<Value, Failure: Error, Context: Scheduler>: BranchingConduit<Void, Value, Failure>,
    Branching, Waking
{
    @usableFromInline package typealias Input = Value

    @usableFromInline package typealias Label = Void

    @usableFromInline package typealias Output = Branch<Void, Value, Failure>

    /// The maximum number of values in a window.
    @usableFromInline let size: Int

    /// How long a window stays open.
    @usableFromInline let opening: TimeSpan<Context>?

    /// The publisher whose values close windows.
    @usableFromInline let boundary = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline var window: Member?

    /// When it was opened, if that matters.
    @exclusivity(unchecked) @usableFromInline var beginning: Context.SchedulerTimeType?

    @exclusivity(unchecked) @usableFromInline package var alarm = ConduitAlarm<Context.SchedulerTimeType>()

    /// How many values the window has received.
    @exclusivity(unchecked) @usableFromInline var count = 0

    @inlinable package init(
        size: Int, buffer: Int, holdsUnread: Bool, opening: TimeSpan<Context>?, onDrop: ((Value) -> Void)?,
        _ downstream: AnySubscriber<Member, Failure>
    ) {
        self.size = size
        self.opening = opening
        super.init(
            name: "Window", limit: buffer, holdsUnread: holdsUnread, onDrop: onDrop, downstream,
            handle: WindowConduit.serving)
    }

    @inlinable @inline(__always) package func take(_ value: Value) -> Subscribers.Demand {
        // Upstream has ended when values have no destination any more.
        upstream.hasEnded ? .none : divide(value)
    }

    /// Puts a value in the open window, or in a new one.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable @inline(__always) func divide(_ value: Value) -> Subscribers.Demand {
        if window == nil, !open() {
            drop(value)
            // There will be no further window, and no receiver of what follows.
            cancel(upstream)
            return .none
        }
        let demand = putInWindow(value)
        count += 1
        if count >= size { endWindow() }
        return demand
    }

    /// Puts a value in the window without retaining that, as the conduit does.
    @inlinable @inline(__always) func putInWindow(_ value: Value) -> Subscribers.Demand {
        guard let window = window.map({ Unmanaged.passUnretained($0) }) else { return .none }
        return window._withUnsafeGuaranteedRef { put(value, in: $0) }
    }

    /// Opens a window, unless no further one is wanted.
    @inlinable func open() -> Bool {
        if isAbandoned { return false }
        let window = Member(self, ())
        self.window = window
        count = 0
        add(window)
        beginning = opening?.now
        setAlarm()
        return true
    }

    /// Sets an alarm for when the window will have been open for long enough.
    @inlinable func setAlarm() {
        if let opening, let beginning { setAlarm(for: opening, since: beginning) }
    }

    /// Completes the window if it has been open for long enough.
    @inlinable package func wake(atAlarmFor date: Context.SchedulerTimeType) {
        guard let opening, window != nil, let beginning else { return }
        if opening.isOver(since: beginning, at: opening.now(atAlarmFor: date)) { endWindow() } else { setAlarm() }
    }

    /// Completes the open window.
    @inlinable func endWindow() {
        guard let window = window.take() else { return }
        count = 0
        close(window, .finished)
        if isAbandoned { cancel(upstream) }
    }

    /// Subscribes to the publisher whose values close windows.
    @inlinable package func attach<Boundary: Publisher>(boundary: Boundary) where Boundary.Failure == Failure {
        boundary.receive(
            subscriber: AsideInlet<Boundary.Output, Failure, WindowConduit>(
                self, self.boundary, demand: .unlimited,
                onValue: { conduit, _ in conduit.endWindow() },
                onCompletion: { conduit, completion in
                    if case .failure = completion { conduit.endAll(completion) }
                }))
    }

    // A window whose subscriber has cancelled stays open, and its values are dropped.
    @inlinable package func forget(_ branch: Member) {}

    @inlinable package func forgetAll() -> [Member] {
        cancel(boundary)
        alarm.cancel()
        return window.take().map { [$0] } ?? []
    }
}
