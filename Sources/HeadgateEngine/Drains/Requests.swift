import HeadgateCore

/// The pending requests to upstreams, in order.
///
/// Not copyable, so that taking and performing them costs no reference counting.
struct Requests: ~Copyable {
    private struct Request {
        let demand: Subscribers.Demand
        let upstream: ConduitSubscription

        /// Whether the upstream sends on its own, so that a request to it returns immediately.
        var isPrompt: Bool { upstream.traits.contains(.sendsByItself) }
    }

    /// The first request, which is nearly always the only one and needs no allocation here.
    private var first: Request?

    private var others: [Request]?

    /// Whether one of them may take long.
    var mayTakeLong: Bool { first?.isPrompt == false || others?.contains { !$0.isPrompt } ?? false }

    mutating func append(_ demand: Subscribers.Demand, from upstream: consuming ConduitSubscription) {
        append(Request(demand: demand, upstream: upstream))
    }

    private mutating func append(_ request: consuming Request) {
        if first == nil {
            first = request
        } else if others == nil {
            others = [request]
        } else {
            others!.append(request)
        }
    }

    /// Removes the requests that return immediately.
    mutating func takePrompt() -> Requests {
        guard let others = others.take() else {
            return first?.isPrompt ?? true ? exchange(&self, with: Requests()) : Requests()
        }
        var prompt = Requests()
        for request in [first.take().unsafelyUnwrapped] + others {
            if request.isPrompt { prompt.append(request) } else { append(request) }
        }
        return prompt
    }

    /// Makes the requests, beginning with those that return immediately.
    consuming func perform() {
        if others != nil { takePrompt().performInOrder() }
        performInOrder()
    }

    private consuming func performInOrder() {
        guard let first = first.take() else { return }
        first.upstream.request(first.demand)
        guard let others = others.take() else { return }
        for request in others { request.upstream.request(request.demand) }
    }
}
