import HeadgateCombine
import HeadgateCore
import HeadgateEngine

extension Publisher {
    /// Tells of what upstream says when nobody is there to hear it: after the end, and after `cancel()`.
    ///
    /// ```
    /// self             1---2---3---|
    /// downstream       1---!
    /// onUndeliverable  ----2
    /// ```
    ///
    /// ```swift
    /// struct Loud: Publisher {
    ///     func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
    ///         subscriber.receive(subscription: Subscriptions.empty)
    ///         subscriber.receive(completion: .finished)
    ///         _ = subscriber.receive(7)
    ///     }
    /// }
    /// let cancellable = Loud().onUndeliverable { print("too late:", $0) }.sink { print($0) }
    /// // too late: value(7)
    /// ```
    ///
    /// Publishers that keep to the contract say nothing more when they have been cancelled, but for what is under way on
    /// another thread; so this hears of races, and of publishers that do not keep to it. A failure that comes so late would
    /// otherwise be lost. Without this operator it is dropped, at no cost.
    ///
    /// - **Demand** and **Completion**: passed on as they are.
    /// - **Complexity**: one look at an atomic flag a value.
    ///
    /// - Parameter report: Hears of what is dropped, on the thread on which it comes.
    @inlinable public func onUndeliverable(
        _ report: @escaping StreamClosure<Event<Output, Failure>, Void>
    ) -> Publishers.UndeliverableWatched<Self> {
        Publishers.UndeliverableWatched(upstream: self, report: report)
    }
}

extension Publishers {
    /// A publisher that tells of what comes too late to be delivered.
    public struct UndeliverableWatched<Upstream: Publisher>: Publisher {
        /// The values of upstream.
        public typealias Output = Upstream.Output

        /// The errors of upstream.
        public typealias Failure = Upstream.Failure

        /// The publisher that is looked at.
        public let upstream: Upstream

        /// What hears of what is dropped.
        public let report: StreamClosure<Event<Output, Failure>, Void>

        /// Makes the publisher that `onUndeliverable(_:)` returns.
        @inlinable public init(upstream: Upstream, report: @escaping StreamClosure<Event<Output, Failure>, Void>) {
            self.upstream = upstream
            self.report = report
        }

        /// Connects a subscriber.
        @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
            upstream.receive(subscriber: UndeliverableSubscriber(report, subscriber))
        }
    }
}

extension Publishers.UndeliverableWatched: StrictlySendable where Upstream: StrictlySendable {}

/// Passes everything on while somebody is there, and tells of the rest.
@usableFromInline struct UndeliverableSubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline let report: (Event<Input, Failure>) -> Void

    @usableFromInline let conduit: ObservingConduit<Input, Failure>

    @inlinable init(
        _ report: @escaping (Event<Input, Failure>) -> Void, _ downstream: some Subscriber<Input, Failure>
    ) {
        self.report = report
        conduit = ObservingConduit(name: "Undeliverable", StreamObserver(), downstream)
    }

    @inlinable var combineIdentifier: CombineIdentifier { CombineIdentifier(conduit) }

    @inlinable func receive(subscription: any Subscription) { conduit.receive(subscription: subscription) }

    @inlinable func receive(_ input: Input) -> Subscribers.Demand {
        if conduit.gate.upstream.isClosed {
            report(.value(input))
            return .none
        }
        return conduit.receive(input)
    }

    @inlinable func receive(completion: Subscribers.Completion<Failure>) {
        if conduit.gate.upstream.isClosed {
            switch completion {
            case .finished: report(.finished)
            case .failure(let failure): report(.failure(failure))
            }
            return
        }
        conduit.receive(completion: completion)
    }
}
