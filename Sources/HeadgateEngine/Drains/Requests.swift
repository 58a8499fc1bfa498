import HeadgateCore

/// The pending requests to upstreams, in order.
///
/// Not copyable, so that taking and performing them costs no reference counting.
struct Requests: ~Copyable {
    private struct Request {
        let demand: Subscribers.Demand
        let upstream: ConduitSubscription
    }

    /// The first request, which is nearly always the only one and needs no allocation here.
    private var first: Request?

    private var others: [Request]?

    var isEmpty: Bool { first == nil }

    mutating func append(_ demand: Subscribers.Demand, from upstream: consuming ConduitSubscription) {
        let request = Request(demand: demand, upstream: upstream)
        if first == nil {
            first = request
        } else if others == nil {
            others = [request]
        } else {
            others!.append(request)
        }
    }

    consuming func perform() {
        guard let first = first.take() else { return }
        first.upstream.request(first.demand)
        guard let others = others.take() else { return }
        for request in others { request.upstream.request(request.demand) }
    }
}
