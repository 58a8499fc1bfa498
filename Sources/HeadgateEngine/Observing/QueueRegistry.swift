import HeadgateCore
import HeadgateThread
import Synchronization

/// What waits in the queues between a stage of a flow and the stages upstream of it, and what they have dropped.
///
/// Who subscribes for a stage binds its registry to the thread. What keeps or drops values finds it when it is attached, and
/// registers its counts there. Without a stage, none is bound, and nothing is counted.
@usableFromInline package final class QueueRegistry: Sendable {
    private struct Entry {
        let counts: Unmanaged<QueueCounts>

        let waiting: (() -> Int)?
    }

    /// What several streams have upstream, some of which belong to this stage.
    private struct Shared {
        let registry: QueueRegistry

        var links = 0

        /// How many values it had dropped before.
        let before: Int
    }

    private struct State {
        var entries: [Entry] = []

        /// What queues have dropped that have been released since, or that are not upstream any more.
        var dropped = 0

        var shared: [ObjectIdentifier: Shared] = [:]
    }

    private let state = Guarded(State())

    private static let used = Atomic(false)

    /// The stage and its flow; `nil` for what several streams have upstream.
    package let name: String?

    package init(name: String? = nil) {
        self.name = name
        Self.begin()
    }

    /// Gives what is shared a registry of its own from now on.
    package static func begin() { used.store(true, ordering: .relaxed) }

    /// Whether there has been a registry, or a flow.
    @usableFromInline package static var isUsed: Bool { used.load(ordering: .relaxed) }

    /// The registry of the stage for which the calling thread is subscribing.
    @usableFromInline package static var current: QueueRegistry? {
        headgate_queues().map { Unmanaged<QueueRegistry>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether the calling thread is subscribing for a stage.
    @inlinable package static var isBound: Bool { headgate_queues() != nil }

    /// Subscribes for the stage of a registry, if there is one; the caller retains it.
    @inlinable package static func bind(_ registry: QueueRegistry?, _ subscribe: () -> Void) {
        guard let registry else { return subscribe() }
        let outer = headgate_register_in(Unmanaged.passUnretained(registry).toOpaque())
        subscribe()
        _ = headgate_register_in(outer)
    }

    /// Does what may begin other streams, which are not upstream of the stage for which the thread is subscribing.
    @inlinable package static func apart(_ work: () -> Void) {
        let outer = headgate_register_in(nil)
        work()
        _ = headgate_register_in(outer)
    }

    /// How many values wait, and how many have been dropped.
    package var sums: (waiting: Int, dropped: Int) {
        var seen: Set<ObjectIdentifier> = []
        return sums(&seen)
    }

    /// - Parameter seen: What has been counted already: streams may be upstream of each other.
    private func sums(_ seen: inout Set<ObjectIdentifier>) -> (waiting: Int, dropped: Int) {
        if !seen.insert(ObjectIdentifier(self)).inserted { return (0, 0) }
        var (sums, readers, shared) = state.withLock { state in
            var sums = (waiting: 0, dropped: state.dropped)
            for entry in state.entries {
                entry.counts._withUnsafeGuaranteedRef { counts in
                    sums.waiting += counts.waiting.load(ordering: .relaxed)
                    sums.dropped += counts.dropped.load(ordering: .relaxed)
                }
            }
            return (sums, state.entries.compactMap(\.waiting), Array(state.shared.values))
        }
        // Outside the lock: they have locks of their own, and may be the last to release what they read.
        for waiting in readers { sums.waiting += waiting() }
        readers = []
        for upstream in shared {
            let (waiting, dropped) = upstream.registry.sums(&seen)
            sums.waiting += waiting
            sums.dropped += max(0, dropped - upstream.before)
        }
        return sums
    }

    fileprivate func add(_ counts: QueueCounts, _ waiting: (() -> Int)?) {
        let before = counts.shared?.sums.dropped ?? 0
        let entry = Entry(counts: .passUnretained(counts), waiting: waiting)
        state.withLock { state in
            counts.place = state.entries.count
            state.entries.append(entry)
            guard let shared = counts.shared else { return }
            state.shared[ObjectIdentifier(shared), default: Shared(registry: shared, before: before)].links += 1
        }
    }

    /// Called when the counts are released, and can't change any more.
    fileprivate func remove(_ counts: QueueCounts) {
        let now = counts.shared?.sums.dropped ?? 0
        // Not in the closure, which must not retain what is being released; and what is removed is released outside the lock.
        let reference = Unmanaged.passUnretained(counts)
        _ = state.withLock { state -> (Entry, Shared?) in
            reference._withUnsafeGuaranteedRef { counts in
                let removed = state.entries[counts.place]
                let last = state.entries.removeLast()
                if counts.place < state.entries.count {
                    state.entries[counts.place] = last
                    last.counts._withUnsafeGuaranteedRef { $0.place = counts.place }
                }
                state.dropped += counts.dropped.load(ordering: .relaxed)
                guard let shared = counts.shared.map({ ObjectIdentifier($0) }) else { return (removed, nil) }
                state.shared[shared]?.links -= 1
                guard let gone = state.shared[shared], gone.links == 0 else { return (removed, nil) }
                state.shared[shared] = nil
                state.dropped += max(0, now - gone.before)
                return (removed, gone)
            }
        }
    }
}

/// What waits at one place of a stream, and what has been dropped there; in the registry of the stage downstream of it, as long
/// as this exists.
// The place belongs to the registry's lock.
@usableFromInline package final class QueueCounts: @unchecked Sendable {
    @usableFromInline package let registry: QueueRegistry

    @usableFromInline let waiting = Atomic(0)

    @usableFromInline let dropped = Atomic(0)

    /// What is upstream of this and of others.
    fileprivate let shared: QueueRegistry?

    @exclusivity(unchecked) fileprivate var place = 0

    private init(_ registry: QueueRegistry, _ shared: QueueRegistry?) {
        self.registry = registry
        self.shared = shared
    }

    deinit { registry.remove(self) }

    /// The counts of what is being attached, if there is a stage downstream of it.
    @inlinable @inline(__always) package static func register() -> QueueCounts? {
        QueueRegistry.isBound ? register(sharing: nil, waiting: nil) : nil
    }

    /// The counts of what shares its upstream, or tells how many values wait when it is asked.
    ///
    /// - Parameters:
    ///   - shared: The registry of what is upstream of it and of others.
    ///   - waiting: Called on any thread.
    @usableFromInline package static func register(
        sharing shared: QueueRegistry? = nil, waiting: (() -> Int)? = nil
    ) -> QueueCounts? {
        guard let registry = QueueRegistry.current else { return nil }
        let counts = QueueCounts(registry, shared)
        registry.add(counts, waiting)
        return counts
    }

    /// Has a closure that is called with dropped values count them, if there is a stage downstream.
    @inlinable package static func counting<Value>(_ onDrop: ((Value) -> Void)?) -> ((Value) -> Void)? {
        guard let counts = register() else { return onDrop }
        return { value in
            counts.drop()
            onDrop?(value)
        }
    }

    /// Notes how many values wait.
    @usableFromInline package func note(waiting count: Int) { waiting.store(count, ordering: .relaxed) }

    /// Counts a value that has begun or ended to wait.
    @usableFromInline package func change(waiting change: Int) { waiting.wrappingAdd(change, ordering: .relaxed) }

    /// Counts values that are dropped.
    @usableFromInline package func drop(_ count: Int = 1) { dropped.wrappingAdd(count, ordering: .relaxed) }
}

extension LazyReference<QueueRegistry> {
    /// The registry of what several subscribers have upstream, once there is a flow.
    @usableFromInline package var registry: QueueRegistry? {
        QueueRegistry.isUsed ? value { QueueRegistry() } : nil
    }
}

/// What several subscribers have upstream.
@usableFromInline package protocol QueueSharing {
    /// The registry of the queues upstream of it, once there is a flow.
    var queuesUpstream: QueueRegistry? { get }
}
