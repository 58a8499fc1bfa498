import HeadgateEngine

extension Publisher {
    /// Attaches a subject, which publishes the values of this publisher from now on.
    ///
    /// ```
    /// self      1---2---3---|
    /// subject   1---2---3---|
    /// ```
    ///
    /// ```swift
    /// let subject = PassthroughSubject<Int, Never>()
    /// let listener = subject.sink { print($0) }
    /// let connection = (1...2).publisher.subscribe(subject)
    /// // 1
    /// // 2
    /// ```
    ///
    /// - **Demand**: up to the subject. The subjects of this library request unlimited values.
    /// - **Completion**: sent to the subject.
    /// - **Threads**: the subject sends on the thread on which this publisher delivers, and waits for its turn there if
    ///   another thread is sending (rule 3.6 of the contract). The cancellable may be used on any thread.
    ///
    /// - Returns: Detaches the subject when cancelled. The subject stays open then, and retains nothing of this
    ///   publisher.
    @inlinable public func subscribe(_ subject: some Subject<Output, Failure>) -> AnyCancellable {
        attach(subject)
    }

    /// Attaches a subject that has no other sender.
    @inlinable package func attach(_ subject: some Subject<Output, Failure>) -> AnyCancellable {
        let connection = SubjectConnection(subject)
        connection.attach(to: self)
        return AnyCancellable(connection.gate)
    }

    /// An attempt to attach a subject that has no other sender: an upstream that delivers at once may never return from it
    /// unless it is cancelled.
    @inlinable package func attempt(attaching subject: some Subject<Output, Failure>) -> ConnectionCount.Attempt {
        let connection = SubjectConnection(subject)
        return ConnectionCount.Attempt {
            connection.attach(to: self)
            return AnyCancellable(connection.gate)
        } interrupt: {
            connection.gate.cancel()
        }
    }
}

/// Sends what it receives to a subject.
@usableFromInline final class SubjectConnection<Target: Subject>: Subscriber {
    @usableFromInline typealias Input = Target.Output

    @usableFromInline typealias Failure = Target.Failure

    @usableFromInline let subject: Target

    // Held by the subject and the owner of the connection. It is emptied at the end to break the reference cycle.
    @usableFromInline let gate = Gate(name: "Subject")

    @inlinable init(_ subject: Target) { self.subject = subject }

    /// Attaches the subject to a publisher, whose queues are upstream of all of its subscribers.
    @inlinable func attach(to publisher: some Publisher<Target.Output, Target.Failure>) {
        // A cast, which takes long, only once there is a flow.
        let registry = QueueRegistry.isUsed ? (subject as? any QueueSharing)?.queuesUpstream : nil
        QueueRegistry.bind(registry) { publisher.receive(subscriber: self) }
    }

    @inlinable func receive(subscription: any Subscription) {
        if gate.upstream.fill(with: subscription) { subject.send(subscription: gate) }
    }

    @inlinable func receive(_ input: Target.Output) -> Subscribers.Demand {
        if !gate.upstream.isClosed { Drain.forward { subject.send(input) } }
        return .none
    }

    @inlinable func receive(completion: Subscribers.Completion<Target.Failure>) {
        if !gate.upstream.close() { return Undeliverable.note(completion) }
        Drain.forward { subject.send(completion: completion) }
    }
}
