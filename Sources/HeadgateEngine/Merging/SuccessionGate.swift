import HeadgateCore
import Synchronization

/// The subscription to a succession: refers to the upstream whose turn it is, and keeps the account of the demand.
@usableFromInline package final class SuccessionGate: ConduitSubscription, SignalHandling {
    @usableFromInline package struct Account {
        @usableFromInline package var upstream: ConduitSubscription?

        /// The demand requested since the beginning of the current turn, except what was returned for values.
        @usableFromInline package var requested = Subscribers.Demand.none

        @usableFromInline package var isClosed = false

        /// Cancelled when the succession is cancelled or completes.
        @usableFromInline package var cancelledAtEnd: AnyCancellable?

        @inlinable package init() {}
    }

    @usableFromInline package let account = Guarded(Account())

    // A copy of `account.isClosed`, for the path of a value.
    @usableFromInline package let isClosed = Atomic(false)

    // One word, where a `StaticString` takes three.
    @usableFromInline let name: UnsafePointer<UInt8>

    @inlinable package init(name: StaticString) {
        self.name = name.utf8Start
        super.init(handle: SuccessionGate.handling)
    }

    /// Whether anything is requested at the beginning of a turn.
    @usableFromInline package var hasDemand: Bool { account.withLock { $0.requested } > .none }

    @usableFromInline package func handleRequest(_ demand: Subscribers.Demand) {
        if demand == .none { return }
        let upstream = account.withLock {
            $0.requested += demand
            return $0.upstream
        }
        upstream?.request(demand)
    }

    @usableFromInline package func handleCancel() { close()?.cancel() }

    /// Whether a request returns immediately, as long as the present upstream's turn lasts; nothing is known of the next.
    @usableFromInline package override var traits: SubscriptionTraits {
        account.withLock { $0.upstream }?.traits.intersection(.answersLater) ?? []
    }

    /// Refers to an upstream from now on, and requests the outstanding demand from it.
    @usableFromInline package func open(to subscription: ConduitSubscription) {
        let demand: Subscribers.Demand? = account.withLock {
            if $0.isClosed || $0.upstream != nil { return nil }
            $0.upstream = subscription
            return $0.requested
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    /// Closes the account permanently.
    ///
    /// - Returns: The upstream whose turn it was.
    @usableFromInline package func close() -> ConduitSubscription? {
        isClosed.store(true, ordering: .relaxed)
        let (upstream, cancelledAtEnd) = account.withLock {
            $0.isClosed = true
            return ($0.upstream.take(), $0.cancelledAtEnd.take())
        }
        cancelledAtEnd?.cancel()
        return upstream
    }

    /// Stores what is to be cancelled when the succession is cancelled or completes.
    @usableFromInline package func cancelAtEnd(_ cancelledAtEnd: AnyCancellable) {
        let isTooLate = account.withLock {
            if !$0.isClosed { $0.cancelledAtEnd = cancelledAtEnd }
            return $0.isClosed
        }
        if isTooLate { cancelledAtEnd.cancel() }
    }

    @usableFromInline package override var description: String { String(cString: name) }
}
