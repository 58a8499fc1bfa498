import HeadgateCore

/// Serves one subscriber from several publishers that are going at the same time, in the order in which a feeder has
/// brought them.
///
/// Values of the oldest publisher go straight through. Each of the others is requested a number of values ahead, which
/// wait until it is the oldest. Ends wait in the same way, so that what is delivered is what the publishers would deliver
/// one after the other.
@usableFromInline package final class SequentialConduit<Output, Failure: Error>: JoiningConduit<Output, Failure> {
    /// How many publishers may be going at a time.
    @usableFromInline let limit: Int

    /// How many values are requested ahead from each of them.
    @usableFromInline let prefetch: Int

    @usableFromInline let feeder = Upstream()

    // The next three belong to the owner of the drain, hence unchecked.

    /// The publishers that have not been delivered to their end, the oldest first.
    @exclusivity(unchecked) @usableFromInline var lines = Queue<SequentialLine<Output, Failure>>()

    /// The oldest of them.
    @exclusivity(unchecked) @usableFromInline var head: SequentialLine<Output, Failure>?

    /// How the feeder has ended.
    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable init(limit: Int, prefetch: Int, _ downstream: AnySubscriber<Output, Failure>) {
        self.limit = limit
        self.prefetch = prefetch
        super.init(name: "FlatMapSequential", downstream) { conduit, signal in
            let conduit = unsafeDowncast(conduit, to: SequentialConduit.self)
            switch signal {
            case .request(let demand):
                // With demand left, nothing of the oldest publisher waits.
                if conduit.outstanding.add(demand) == Subscribers.Demand.none { conduit.attend { conduit.serve() } }
            case .cancel:
                if conduit.outstanding.close() != nil { conduit.attend { conduit.release() } }
            }
        }
    }

    /// Connects a subscriber to the values of the publishers that another one's values are made into.
    ///
    /// - Parameter attach: Makes a publisher of a value, and attaches it. Called outside the drain.
    @inlinable package static func connect<Feeder: Publisher>(
        _ feeder: Feeder, limit: Int, prefetch: Int, to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Feeder.Output, LineInlet<Output, Failure>) -> Void
    ) where Feeder.Failure == Failure {
        let conduit = SequentialConduit(limit: limit, prefetch: prefetch, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            feeder.receive(subscriber: SequentialInlet(conduit, attach))
        } start: {
            conduit.serve()
        }
    }

    /// Adds a publisher that is about to be attached.
    @usableFromInline func add(_ line: SequentialLine<Output, Failure>) {
        if isOver { return line.cancel() }
        if head == nil { head = line } else { lines.append(line) }
    }

    /// Delivers a value, or lets it wait.
    ///
    /// - Returns: What to request from its publisher.
    @inlinable @inline(__always) func take(
        _ value: Output, from line: SequentialLine<Output, Failure>
    ) -> Subscribers.Demand {
        if isOver || line.hasEnded { return .none }
        if line === head, line.queue.isEmpty, outstanding.takeOne() {
            _ = deliver(value)
            return outstanding.isClosed ? .none : .max(1)
        }
        line.queue.append(value)
        return .none
    }

    /// Delivers what waits, as far as it is its turn and wanted.
    @usableFromInline func serve() {
        if isOver { return }
        if !feeder.isRequested, feeder.subscription != nil {
            feeder.isRequested = true
            request(.max(limit), from: feeder.subscription)
        }
        while let line = head {
            var room = 0
            while !line.queue.isEmpty, outstanding.takeOne(), let value = line.queue.popFirst() {
                room += 1
                _ = deliver(value)
            }
            if isOver { return }
            guard line.queue.isEmpty, let completion = line.ending else {
                return request(.max(room), from: line.subscription)
            }
            if case .failure = completion { return finish(completion) }
            head = lines.popFirst()
            request(.max(1), from: feeder.subscription)
        }
        if let ending { finish(ending) }
    }

    @usableFromInline func end(
        _ line: SequentialLine<Output, Failure>, _ completion: Subscribers.Completion<Failure>
    ) {
        if isOver || !line.end() { return }
        line.ending = completion
        if line === head { serve() }
    }

    @usableFromInline func endFeeder(_ completion: Subscribers.Completion<Failure>) {
        if isOver || !feeder.end() { return }
        ending = completion
        if head == nil { finish(completion) }
    }

    @usableFromInline package override func releaseUpstreams() {
        feeder.cancel()
        head.take()?.release()
        while let line = lines.popFirst() { line.release() }
    }
}

/// One of the publishers that a `SequentialConduit` serves from.
// Belongs to the owner of the conduit's drain, hence unchecked.
@usableFromInline package final class SequentialLine<Output, Failure: Error>: Upstream {
    /// What waits for its turn, or for demand.
    @exclusivity(unchecked) @usableFromInline var queue = Queue<Output>()

    @exclusivity(unchecked) @usableFromInline var ending: Subscribers.Completion<Failure>?

    @usableFromInline func release() {
        queue = Queue()
        cancel()
    }
}

/// What subscribes to the publisher whose values are made into the publishers of a `SequentialConduit`.
@usableFromInline package struct SequentialInlet<Input, Output, InnerFailure: Error>: Inlet {
    @usableFromInline package typealias Failure = InnerFailure

    @usableFromInline let sequential: SequentialConduit<Output, InnerFailure>

    @usableFromInline let attach: (Input, LineInlet<Output, InnerFailure>) -> Void

    @inlinable init(
        _ sequential: SequentialConduit<Output, InnerFailure>,
        _ attach: @escaping (Input, LineInlet<Output, InnerFailure>) -> Void
    ) {
        self.sequential = sequential
        self.attach = attach
    }

    @inlinable package var conduit: DrainingConduit { sequential }

    @inlinable package var upstream: (any Subscription)? { sequential.feeder.subscription }

    @inlinable package func connect(to subscription: any Subscription) -> Subscribers.Demand {
        guard sequential.feeder.connect(to: subscription, isWanted: !sequential.isOver) else { return .none }
        if sequential.phase == .connecting { return .none }
        sequential.feeder.isRequested = true
        return .max(sequential.limit)
    }

    // Outside the drain: to make a publisher and to subscribe to it is foreign code, and it may answer at once.
    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        if sequential.outstanding.isClosed || sequential.feeder.isDone { return .none }
        let line = SequentialLine<Output, InnerFailure>()
        if sequential.takeTurn() {
            sequential.add(line)
            sequential.leave()
        } else {
            sequential.postpone { sequential.add(line) }
        }
        attach(input, LineInlet(sequential, line))
        return .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<InnerFailure>) {
        if sequential.feeder.isDone { return }
        sequential.feeder.isDone = true
        sequential.attend { sequential.endFeeder(completion) }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<InnerFailure>) {
        sequential.endFeeder(completion)
    }
}

/// What subscribes to the publishers of a `SequentialConduit`.
@usableFromInline package struct LineInlet<Input, Failure: Error>: Inlet {
    @usableFromInline let sequential: SequentialConduit<Input, Failure>

    @usableFromInline let line: SequentialLine<Input, Failure>

    @inlinable init(_ sequential: SequentialConduit<Input, Failure>, _ line: SequentialLine<Input, Failure>) {
        self.sequential = sequential
        self.line = line
    }

    @inlinable package var combineIdentifier: CombineIdentifier { CombineIdentifier(line) }

    @inlinable package var conduit: DrainingConduit { sequential }

    @inlinable package var upstream: (any Subscription)? { line.subscription }

    @inlinable package func connect(to subscription: any Subscription) -> Subscribers.Demand {
        line.connect(to: subscription, isWanted: !sequential.isOver) ? .max(sequential.prefetch) : .none
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { sequential.take(input, from: line) }

    @inlinable package func end(_ completion: Subscribers.Completion<Failure>) { sequential.end(line, completion) }
}
