/// Sends what it receives to a subject, until the stream completes or the subject cancels.
///
/// It is also the subscription that the subject receives.
@usableFromInline final class SubjectSubscriber<Target: Subject>: Subscriber, Subscription {
    private enum Phase {
        case waiting
        case connected(any Subscription)
        case over

        var upstream: (any Subscription)? { if case .connected(let upstream) = self { upstream } else { nil } }
    }

    private let subject: Target

    private let phase = Guarded(Phase.waiting)

    @usableFromInline init(_ subject: Target) { self.subject = subject }

    @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier(subject) }

    private var isConnected: Bool { phase.withLock { if case .connected = $0 { true } else { false } } }

    @usableFromInline func receive(subscription: any Subscription) {
        nonisolated(unsafe) let connected = Phase.connected(subscription)
        let isFirst = phase.withLock {
            guard case .waiting = $0 else { return false }
            $0 = connected
            return true
        }
        if isFirst { subject.send(subscription: self) } else { subscription.cancel() }
    }

    @usableFromInline func receive(_ input: Target.Output) -> Subscribers.Demand {
        if isConnected { subject.send(input) }
        return .none
    }

    @usableFromInline func receive(completion: Subscribers.Completion<Target.Failure>) {
        if leave() != nil { subject.send(completion: completion) }
    }

    @usableFromInline func request(_ demand: Subscribers.Demand) {
        phase.withLock { $0.upstream }?.request(demand)
    }

    @usableFromInline func cancel() { leave()?.cancel() }

    /// Ends the connection.
    ///
    /// - Returns: The subscription, if there was one. It is released outside the lock.
    private func leave() -> (any Subscription)? {
        phase.withLock { phase in
            defer { phase = .over }
            return phase.upstream
        }
    }
}

extension SubjectSubscriber: CustomStringConvertible {
    @usableFromInline var description: String { "Subject" }
}
