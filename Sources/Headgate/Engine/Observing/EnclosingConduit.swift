import HeadgateEngine

/// What passes a place in a stream, in either direction.
@usableFromInline package enum Passage {
    case subscription
    case value
    case completion
    case request
    case cancel
}

/// Encloses what passes a place in a stream.
@usableFromInline package protocol Enclosure {
    /// Calls a closure that forwards an event, once.
    func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result

    /// Whether upstream is cancelled when the subscription is released.
    static var ownsUpstream: Bool { get }
}

extension Enclosure {
    @inlinable package static var ownsUpstream: Bool { false }
}

/// Encloses nothing, and has upstream cancelled when the subscription is released: for sources composed of operators,
/// which by themselves retain their upstream until `cancel()`.
@usableFromInline package struct Ownership: Enclosure {
    @inlinable package static var ownsUpstream: Bool { true }

    @inlinable package init() {}

    @inlinable @inline(__always)
    package func enclose<Result>(_ passage: Passage, _ forward: () -> Result) -> Result { forward() }
}

/// Forwards everything in both directions, each event inside an enclosure.
@usableFromInline
package struct EnclosingConduit<Downstream: Subscriber, Enclosed: Enclosure>: Subscriber {
    @usableFromInline package typealias Input = Downstream.Input

    @usableFromInline package typealias Failure = Downstream.Failure

    @usableFromInline let name: StaticString

    @usableFromInline let enclosure: Enclosed

    @usableFromInline let downstream: Downstream

    @usableFromInline let upstream = SharedSlot()

    @inlinable package init(name: StaticString, _ enclosure: Enclosed, _ downstream: Downstream) {
        self.name = name
        self.enclosure = enclosure
        self.downstream = downstream
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(upstream) }

    @inlinable package func receive(subscription: any Subscription) {
        guard upstream.slot.fill(with: subscription) else { return }
        let enclosed = EnclosedSubscription(upstream, name: name, enclosure)
        enclosure.enclose(.subscription) { downstream.receive(subscription: enclosed) }
    }

    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        upstream.slot.isClosed ? .none : enclosure.enclose(.value) { downstream.receive(input) }
    }

    @inlinable package func receive(completion: Subscribers.Completion<Failure>) {
        if !upstream.slot.close() { return Undeliverable.note(completion) }
        enclosure.enclose(.completion) { downstream.receive(completion: completion) }
    }
}

/// The subscription of such a conduit: it refers to upstream, and not to the conduit.
@usableFromInline package final class EnclosedSubscription: ConduitSubscription {
    @usableFromInline let upstream: SharedSlot

    @usableFromInline let name: StaticString

    @usableFromInline let ownsUpstream: Bool

    @inlinable init<Enclosed: Enclosure>(_ upstream: SharedSlot, name: StaticString, _ enclosure: Enclosed) {
        self.upstream = upstream
        self.name = name
        ownsUpstream = Enclosed.ownsUpstream
        super.init { _, signal in
            switch signal {
            case .request(let demand): enclosure.enclose(.request) { upstream.slot.request(demand) }
            case .cancel: enclosure.enclose(.cancel) { _ = upstream.slot.cancel() }
            }
        }
    }

    deinit {
        if ownsUpstream { upstream.slot.cancel() }
    }

    @usableFromInline package override var description: String { name.description }

    @usableFromInline package override var traits: SubscriptionTraits { upstream.slot.traits }
}
