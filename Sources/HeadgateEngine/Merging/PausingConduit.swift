import HeadgateCore

/// Forwards values while another publisher says so.
///
/// Values are requested one at a time, so at most one is under way when the stream is paused. It waits here.
@usableFromInline package final class PausingConduit<Output, Failure: Error>: JoiningConduit<Output, Failure>, Buffering
{
    @usableFromInline package typealias Input = Output

    @usableFromInline package let upstream = Upstream()

    @usableFromInline let pauser = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var isPaused = false

    /// The value that has arrived during the pause.
    @exclusivity(unchecked) @usableFromInline var waiting = Queue<Output>()

    @inlinable package init(_ downstream: AnySubscriber<Output, Failure>) {
        super.init(name: "Paused", downstream, handle: PausingConduit.serving)
    }

    /// Attaches a subscriber to the values of a publisher, while another one has not most recently published `true`.
    @inlinable package static func connect(
        _ upstream: some Publisher<Output, Failure>, pauser: some Publisher<Bool, Never>,
        to subscriber: some Subscriber<Output, Failure>
    ) {
        let conduit = PausingConduit(AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            pauser.receive(
                subscriber: AsideInlet<Bool, Never, PausingConduit>(
                    conduit, conduit.pauser, demand: .unlimited,
                    onValue: { conduit, isPaused in conduit.pause(isPaused) },
                    onCompletion: { conduit, _ in conduit.pause(false) }))
            upstream.receive(subscriber: WaitingInlet(conduit))
        }
    }

    @inlinable package var isEmpty: Bool { waiting.isEmpty }

    /// Delivers what waits, and requests the next value, unless the stream is paused.
    @usableFromInline package func serve() {
        if isOver || isPaused { return }
        while !waiting.isEmpty, outstanding.takeOne(), let value = waiting.popFirst() {
            note(waiting: waiting.count)
            _ = deliver(value)
        }
        if isOver { return }
        finishIfDone()
        if !isOver, waiting.isEmpty { request(nextDemand, from: upstream) }
    }

    /// The demand for another value, if none is under way.
    @inlinable var nextDemand: Subscribers.Demand {
        isPaused ? .none : demandOnce(.max(1), of: upstream)
    }

    /// Delivers a value, or keeps it if the stream is paused.
    ///
    /// - Returns: The demand to return upstream.
    @inlinable package func take(_ value: Output) -> Subscribers.Demand {
        if isOver || !upstream.isRequested { return .none }
        upstream.isRequested = false
        if isPaused || !outstanding.takeOne() {
            waiting.append(value)
            note(waiting: waiting.count)
            return .none
        }
        _ = deliver(value)
        return isOver ? .none : nextDemand
    }

    /// Called when the other publisher has published a value, or has finished, which ends a pause.
    @usableFromInline func pause(_ isPaused: Bool) {
        self.isPaused = isPaused
        if phase == .connected { serve() }
    }

    @usableFromInline package override func releaseValues() { waiting = Queue() }
}
