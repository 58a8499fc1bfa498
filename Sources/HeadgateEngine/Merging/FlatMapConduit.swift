import HeadgateCore
import Synchronization

/// Merging the publishers that a feeder brings.
extension MergeConduit {
    /// Connects a subscriber to the merged values of the publishers that another one's values are made into.
    ///
    /// - Parameters:
    ///   - limit: How many of the publishers may be going at a time.
    ///   - attach: Makes a publisher of a value, and attaches it; answers what to request from the feeder. Called outside
    ///     the drain.
    @inlinable package static func connect<Feeder: Publisher>(
        _ feeder: Feeder, limit: Subscribers.Demand, failures: FailureTiming = .atOnce,
        to subscriber: some Subscriber<Output, Failure>,
        attach: @escaping (Feeder.Output, MergeConduit) -> Subscribers.Demand
    ) where Feeder.Failure == Failure {
        let conduit = MergeConduit(
            name: "FlatMap", count: 1, limit: limit, failures: failures, AnySubscriber(subscriber))
        conduit.connect(subscriber) {
            let upstream = Upstream()
            conduit.feeder = upstream
            feeder.receive(subscriber: FlatMapInlet(conduit, upstream, attach))
        } start: {
            conduit.serve()
        }
    }

    /// Takes in a publisher that the feeder has brought.
    ///
    /// - Returns: How many more to request from the feeder.
    @inlinable package func attach(_ publisher: some Publisher<Output, Failure>) -> Subscribers.Demand {
        living.add(1, ordering: .relaxed)
        publisher.receive(subscriber: member())
        return .none
    }

    /// Takes in the value of a publisher that publishes nothing else, and needs no subscription.
    ///
    /// - Returns: How many more to request from the feeder.
    @inlinable package func receive(only value: Output) -> Subscribers.Demand {
        if takeTurn() {
            return leave(answering: take(only: value), to: feeder?.subscription)
        }
        if outstanding.takeOne() {
            postpone { self.take(reserved: value, from: MergeMember()) }
            return limit == .unlimited ? .none : .max(1)
        }
        postpone { self.request(self.take(only: value), from: self.feeder?.subscription) }
        return .none
    }

    /// Delivers such a value, or lets it wait.
    ///
    /// - Returns: How many more to request from the feeder.
    @inlinable @inline(__always) func take(only value: Output) -> Subscribers.Demand {
        if isOver || failure != nil { return .none }
        if queue.isEmpty, outstanding.takeOne() {
            pass(value)
            return limit == .unlimited || outstanding.isClosed ? .none : .max(1)
        }
        wait(only: value)
        return .none
    }

    @usableFromInline func wait(only value: Output) {
        let member = MergeMember()
        member.hasEnded = true
        keep(Waiting(value, from: member, isReplaced: true))
    }
}

/// What subscribes to the publisher whose values are made into publishers.
@usableFromInline package struct FlatMapInlet<Input, Output, InnerFailure: Error>: Inlet {
    @usableFromInline package typealias Failure = InnerFailure

    @usableFromInline typealias Conduit = MergeConduit<Output, InnerFailure>

    @usableFromInline let merge: MergeConduit<Output, InnerFailure>

    @usableFromInline let feeder: Upstream

    @usableFromInline let attach: (Input, MergeConduit<Output, InnerFailure>) -> Subscribers.Demand

    @inlinable init(
        _ merge: MergeConduit<Output, InnerFailure>, _ feeder: Upstream,
        _ attach: @escaping (Input, MergeConduit<Output, InnerFailure>) -> Subscribers.Demand
    ) {
        self.merge = merge
        self.feeder = feeder
        self.attach = attach
    }

    @inlinable package var conduit: DrainingConduit { merge }

    @inlinable package var upstream: ConduitSubscription? { feeder.subscription }

    @inlinable package func connect(to subscription: ConduitSubscription) -> Subscribers.Demand {
        guard feeder.connect(to: subscription, isWanted: !merge.isOver) else { return .none }
        return merge.hasStarted ? merge.limit : .none
    }

    // Outside the drain: to make a publisher and to subscribe to it is foreign code, and it may answer at once.
    @inlinable package func receive(_ input: Input) -> Subscribers.Demand {
        merge.outstanding.isClosed || feeder.isDone ? .none : attach(input, merge)
    }

    @inlinable package func take(_ input: Input) -> Subscribers.Demand { .none }

    @inlinable package func receive(completion: Subscribers.Completion<InnerFailure>) {
        if feeder.isDone { return }
        feeder.isDone = true
        merge.attend {
            if merge.phase == .over { Undeliverable.note(completion) }
            end(completion)
        }
    }

    @inlinable package func end(_ completion: Subscribers.Completion<InnerFailure>) {
        if feeder.end(), !merge.isOver { merge.hasOneLess(completion) }
    }
}
