import HeadgateCore

/// How a succession runs through a list of publishers, each going on where the one before has finished.
///
/// A list within a list dissolves: it announces itself by its subscription, and the outer one takes its publishers over.
/// So however deep `append` and `prepend` are nested, one conduit serves them all, from one loop.
extension SuccessionConduit {
    /// Connects a subscriber to two publishers, one after the other.
    @inlinable package static func connect<Prefix: Publisher, Suffix: Publisher, S: Subscriber>(
        _ prefix: Prefix, then suffix: Suffix, to subscriber: S
    )
    where
        Prefix.Output == Output, Suffix.Output == Output, S.Input == Output,
        Prefix.Failure == Failure, Suffix.Failure == Failure, S.Failure == Failure
    {
        let conduit = SuccessionConduit(name: "Concatenate", isList: true, to: subscriber)
        conduit.following = [attach(suffix), attach(prefix)]
        conduit.gate.announcement = (conduit, subscriber.combineIdentifier)
        subscriber.receive(subscription: conduit.gate)
        conduit.gate.announcement = nil
        conduit.goOn()
    }

    @inlinable package static func attach<P: Publisher>(_ publisher: P) -> Attach
    where P.Output == Output, P.Failure == Failure {
        { conduit, turn in
            publisher.receive(
                subscriber: SuccessionSubscriber(conduit, turn: turn) { conduit, completion in
                    if case .finished = completion, conduit.goOn() { return }
                    conduit.end(completion)
                })
        }
    }

    /// Goes on to the next publisher of the list.
    ///
    /// - Returns: Whether there was one.
    @inlinable @discardableResult package func goOn() -> Bool {
        guard let next = following.popLast() else { return false }
        proceed(to: next)
        return true
    }

    /// Takes over the list of a concatenation that has just announced itself to this one.
    @inlinable package func takeOver(_ subscription: any Subscription) -> Bool {
        // An operator in between would have another identity, and has to stay there.
        guard isList, let announcement = (subscription as? SuccessionGate)?.announcement,
            announcement.subscriber == CombineIdentifier(self),
            let other = announcement.conduit as? SuccessionConduit
        else { return false }
        following += other.following
        other.following = []
        goOn()
        return true
    }
}
