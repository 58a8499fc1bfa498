/// The part of an erased subscriber that values are delivered to: a third of what all of it takes to retain.
// On its own, the closure would be wrapped again, and allocated, each time it leaves a lock or an optional.
@usableFromInline struct Receiver<Input> {
    @usableFromInline let receive: (Input) -> Subscribers.Demand

    @inlinable init<Failure>(_ subscriber: AnySubscriber<Input, Failure>) { receive = subscriber.onValue }
}
