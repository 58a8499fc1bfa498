import Headgate
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification

/// The edges of a chain, with what was requested and delivered at each.
final class Watch {
    /// One edge: the publisher above it and the subscriber below.
    final class Edge {
        /// The demand that has not been served, over all subscriptions.
        var outstanding = Subscribers.Demand.none
        var isOver = false
    }

    private(set) var edges: [Edge] = []
    private let stages: [Stage]
    private(set) var breach: String?

    init(_ stages: [Stage]) { self.stages = stages }

    func addEdge() -> Int {
        edges.append(Edge())
        return edges.count - 1
    }

    /// The operator below an edge requests values: it may only while something is requested of itself.
    func requests(_ demand: Subscribers.Demand, at edge: Int) {
        // More than everything is nothing more.
        let isMore = demand > .none && edges[edge].outstanding != .unlimited
        edges[edge].outstanding += demand
        guard isMore, edge + 1 < edges.count else { return }
        let (stage, below) = (stages[edge], edges[edge + 1])
        if below.outstanding == .none, !below.isOver, !stage.traits.contains(.requestsFirst) {
            breach = breach ?? "\(stage.name) requests \(demand) while nothing is requested of it"
        }
    }

    /// The subscription of an edge has ended or been cancelled; another may follow, as after `retry`.
    func ends(at edge: Int) {
        edges[edge].outstanding = .none
        edges[edge].isOver = true
    }

    func delivers(at edge: Int) {
        edges[edge].outstanding -= edges[edge].outstanding == .unlimited ? .none : .max(1)
    }
}

extension Publisher where Self: Sendable, Output == Int, Failure == VerificationFailure {
    func watched(_ watch: Watch) -> Stage.Stream {
        WatchedPublisher(upstream: self, watch: watch, edge: watch.addEdge()).eraseToAnyPublisher()
    }
}

// Chains run on one thread.
private struct WatchedPublisher<Upstream: Publisher<Int, VerificationFailure>>: Publisher, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = VerificationFailure

    let upstream: Upstream
    let watch: Watch
    let edge: Int

    func receive<S: Subscriber<Int, VerificationFailure>>(subscriber: S) {
        upstream.receive(subscriber: WatchedSubscriber(subscriber, watch, edge))
    }
}

private final class WatchedSubscriber<S: Subscriber<Int, VerificationFailure>>: Subscriber {
    typealias Input = Int
    typealias Failure = VerificationFailure

    private let downstream: S
    private let watch: Watch
    private let edge: Int

    /// Forwards what the operator below sends, and what is known of the publisher above.
    private let gate: Gate

    init(_ downstream: S, _ watch: Watch, _ edge: Int) {
        (self.downstream, self.watch, self.edge) = (downstream, watch, edge)
        gate = Gate(name: "Watch") { signal in
            switch signal {
            case .request(let demand): watch.requests(demand, at: edge)
            case .cancel: watch.ends(at: edge)
            }
        }
    }

    func receive(subscription: any Subscription) {
        if gate.upstream.fill(with: subscription) { downstream.receive(subscription: gate) }
    }

    func receive(_ value: Int) -> Subscribers.Demand {
        watch.delivers(at: edge)
        let demand = downstream.receive(value)
        watch.requests(demand, at: edge)
        return demand
    }

    func receive(completion: Subscribers.Completion<VerificationFailure>) {
        guard gate.upstream.close() else { return }
        watch.ends(at: edge)
        downstream.receive(completion: completion)
    }
}
