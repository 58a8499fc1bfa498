import HeadgateCore
import Synchronization

/// The subscribers of a hub that have a stage of a flow downstream, with what has been dropped for each.
// Not in the subscriptions: all of them would be larger.
@usableFromInline struct StagedMembers: ~Copyable {
    private let counts = Guarded<[ObjectIdentifier: QueueCounts]>([:])

    /// Whether there has been one.
    private let isUsed = Atomic(false)

    @usableFromInline init() {}

    /// Adds a subscriber, which the calling thread attaches for a stage.
    @usableFromInline func add(_ member: HubMember, sharing shared: borrowing SharedRegistry) {
        let new = QueueCounts.register(sharing: shared)
        counts.withLock { $0[ObjectIdentifier(member)] = new }
        isUsed.store(true, ordering: .relaxed)
    }

    /// Counts a value that is dropped for a subscriber.
    @usableFromInline func drop(for member: HubMember) {
        if isUsed.load(ordering: .relaxed) { counts.withLock { $0[ObjectIdentifier(member)] }?.drop() }
    }

    /// Removes a subscriber that receives nothing more.
    @usableFromInline func remove(_ member: HubMember) {
        if isUsed.load(ordering: .relaxed) { forget(member) }
    }

    private func forget(_ member: HubMember) {
        // What is removed is released outside the lock.
        _ = counts.withLock { $0.removeValue(forKey: ObjectIdentifier(member)) }
    }
}
