import HeadgateCore
import Synchronization

/// Delivers one value when it is there and has been asked for, whichever comes last.
///
/// It is not generic: what there is to deliver, and to whom, is in a closure made where the types are known, and comes
/// with the value.
@usableFromInline package final class PromiseConduit: ConduitSubscription {
    @usableFromInline package static var isRequested: UInt8 { 1 }

    @usableFromInline package static var isReady: UInt8 { 2 }

    @usableFromInline package static var isClosed: UInt8 { 4 }

    /// Which of the three has happened; whoever brings the second of the first two delivers.
    @usableFromInline package let phase = Atomic<UInt8>(0)

    // Written before `isReady`, and taken by the one caller whose mark ends its use; hence unchecked.
    @exclusivity(unchecked) @usableFromInline package var delivery: ((PromiseConduit) -> Void)?

    @usableFromInline package let name: StaticString

    /// Makes the conduit.
    ///
    /// - Parameter leave: Called once, where the subscriber cancels before the end.
    @inlinable package init(name: StaticString, leave: @escaping (PromiseConduit) -> Void) {
        self.name = name
        super.init { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: PromiseConduit.self)
            switch signal {
            case .request(let demand):
                if demand > .none { conduit.advance(to: PromiseConduit.isRequested) }
            case .cancel:
                let old = conduit.mark(PromiseConduit.isClosed)
                if old & PromiseConduit.isClosed != 0 { return }
                if old == PromiseConduit.isReady { conduit.delivery = nil }
                leave(conduit)
            }
        }
    }

    @usableFromInline package var isCancelled: Bool { phase.load(ordering: .acquiring) & Self.isClosed != 0 }

    /// Hears, once at the most, that the value is there.
    ///
    /// - Parameter delivery: Delivers the value, then asks `close()` whether to deliver the completion.
    @inlinable package func fulfill(_ delivery: @escaping (PromiseConduit) -> Void) {
        self.delivery = delivery
        advance(to: Self.isReady)
    }

    /// Hears, once at the most, how the promise has been kept; a failure does not wait for demand.
    @inlinable package func settle<Output, Failure>(
        _ result: Result<Output, Failure>, for subscriber: AnySubscriber<Output, Failure>
    ) {
        switch result {
        case .success(let value):
            fulfill { conduit in
                _ = subscriber.receive(value)
                if conduit.close() { subscriber.receive(completion: .finished) }
            }
        case .failure(let failure):
            if close() { subscriber.receive(completion: .failure(failure)) }
        }
    }

    /// Closes the conduit for ever.
    ///
    /// - Returns: Whether the subscriber is still there.
    @inlinable package func close() -> Bool { mark(Self.isClosed) & Self.isClosed == 0 }

    @inlinable package func advance(to bit: UInt8) {
        let old = mark(bit)
        if old & Self.isClosed != 0 {
            // Cancelled before it was ready: nobody else will let go of the delivery.
            if bit == Self.isReady { delivery = nil }
        } else if old | bit == Self.isRequested | Self.isReady, old != old | bit, let delivery = delivery.take() {
            delivery(self)
        }
    }

    @inlinable package func mark(_ bit: UInt8) -> UInt8 {
        phase.bitwiseOr(bit, ordering: .acquiringAndReleasing).oldValue
    }

    @usableFromInline package override var description: String { name.description }
}
