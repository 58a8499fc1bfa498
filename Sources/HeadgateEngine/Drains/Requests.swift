import HeadgateCore

/// The pending requests to upstreams, in order.
struct Requests {
    private struct Request {
        let demand: Subscribers.Demand
        let upstream: ConduitSubscription

        func perform() { upstream.request(demand) }
    }

    /// The first request, which is nearly always the only one and needs no allocation here.
    private var first: Request?

    private var others: [Request] = []

    mutating func append(_ demand: Subscribers.Demand, from upstream: ConduitSubscription) {
        let request = Request(demand: demand, upstream: upstream)
        if first == nil { first = request } else { others.append(request) }
    }

    func perform() {
        guard let first else { return }
        first.perform()
        for request in others { request.perform() }
    }
}
