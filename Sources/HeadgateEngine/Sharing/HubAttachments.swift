import HeadgateCore
import Synchronization

/// What a hub is the hub of.
@usableFromInline package enum HubName: String {
    case currentValueSubject = "CurrentValueSubject"
    case holdValue = "HoldValue"
    case multicast = "Multicast"
    case objectWillChange = "ObservableObjectPublisher"
    case passthroughSubject = "PassthroughSubject"
    case published = "PublishedSubject"
    case timer = "Timer"
}

/// The most recent value of a hub that remembers it.
// Confined to the owner of the hub's drain.
@usableFromInline package final class HubMemory<Value> {
    /// `nil` after the completion.
    @exclusivity(unchecked) @usableFromInline package var latest: Value?

    @inlinable init(_ latest: Value) { self.latest = latest }

    /// Replaces the value, unless the hub has ended.
    // Not inlined: a hub without a memory is the more frequent, and its `deliver` is then small enough for its senders.
    @inlinable @inline(never) func remember(_ value: Value) { if latest != nil { latest = value } }
}

/// What few hubs have, made for the first that needs it: an idle hub is smaller by half.
@usableFromInline package final class HubAttachments {
    let upstreams = UpstreamList()

    let shared = LazyReference<QueueRegistry>()

    /// The count that every subscriber which cancels leaves; set before there are any.
    @exclusivity(unchecked) @usableFromInline package var connections: ConnectionCount?

    /// The subscribers that have a stage of a flow downstream, with what has been dropped for each.
    // Not in the subscriptions: all of them would be larger.
    private let staged = Guarded<[ObjectIdentifier: QueueCounts]>([:])

    /// Whether there has been one.
    private let hasStaged = Atomic(false)

    init() {}

    /// Adds a subscriber, which the calling thread attaches for a stage.
    @usableFromInline func stage(_ member: HubMember) {
        let new = QueueCounts.register(sharing: shared.registry)
        staged.withLock { $0[ObjectIdentifier(member)] = new }
        hasStaged.store(true, ordering: .relaxed)
    }

    /// Counts a value that is dropped for a subscriber.
    @usableFromInline func drop(for member: HubMember) {
        if hasStaged.load(ordering: .relaxed) { staged.withLock { $0[ObjectIdentifier(member)] }?.drop() }
    }

    /// Forgets a subscriber that receives nothing more.
    @usableFromInline func forget(_ member: HubMember) {
        if !hasStaged.load(ordering: .relaxed) { return }
        // What is removed is released outside the lock.
        _ = staged.withLock { $0.removeValue(forKey: ObjectIdentifier(member)) }
    }
}

extension Hub {
    @usableFromInline package var attachments: HubAttachments {
        lazyAttachments.value { HubAttachments() }
    }

    /// The registry of the queues upstream, once there is a flow.
    @usableFromInline package var registry: QueueRegistry? {
        QueueRegistry.isUsed ? attachments.shared.registry : nil
    }
}

// The upstreams of a hub, from which unlimited values are requested once any subscriber has demand.
//
// All changes of `upstreamEvents` have one order. So whoever opens or cancels the upstreams either finds that there may
// be some, or does so before: then who adds one finds that.
extension Hub {
    private static var mayExist: UInt8 { 1 }

    private static var areOpen: UInt8 { 2 }

    private static var areCancelled: UInt8 { 4 }

    /// Adds an upstream; cancels it if the stream has ended.
    @usableFromInline package func add(_ upstream: ConduitSubscription) {
        let attachments = attachments
        let events = upstreamEvents.bitwiseOr(Self.mayExist, ordering: .acquiringAndReleasing).oldValue
        if events & Self.areCancelled != 0 { return upstream.cancel() }
        if events & Self.areOpen != 0 { attachments.upstreams.open() }
        attachments.upstreams.add(upstream)
    }

    @usableFromInline var areUpstreamsOpen: Bool { upstreamEvents.load(ordering: .relaxed) & Self.areOpen != 0 }

    @usableFromInline package func openUpstreams() {
        if !areUpstreamsOpen { attachments(after: Self.areOpen)?.upstreams.open() }
    }

    @usableFromInline package func cancelUpstreams() { attachments(after: Self.areCancelled)?.upstreams.cancel() }

    /// Notes what happens to the upstreams.
    ///
    /// - Returns: What holds them, if there may be any.
    private func attachments(after event: UInt8) -> HubAttachments? {
        let events = upstreamEvents.bitwiseOr(event, ordering: .acquiringAndReleasing).oldValue
        return events & Self.mayExist == 0 ? nil : lazyAttachments.existing
    }
}
