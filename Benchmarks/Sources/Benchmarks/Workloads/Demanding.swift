import Headgate

extension Workload {
    /// A range whose values are requested one by one.
    static var demanding: [Workload] {
        [
            Workload(
                name: "one-by-one", element: "value", reach: 137,
                run: { count in
                    let add = Opaque.add
                    (0..<count).publisher.map(Opaque.increment).filter(Opaque.isEven).subscribe(
                        AnySubscriber(
                            receiveSubscription: { $0.request(.max(1)) },
                            receiveValue: { value in
                                add(value)
                                return .max(1)
                            }))
                },
                baseline: mapAndFilterByHand),
            Workload(
                name: "one-by-one-request", element: "value", reach: 296,
                run: { count in
                    let add = Opaque.add
                    var upstream: (any Subscription)?
                    (0..<count).publisher.map(Opaque.increment).filter(Opaque.isEven).subscribe(
                        AnySubscriber(
                            receiveSubscription: { subscription in
                                upstream = subscription
                                subscription.request(.max(1))
                            },
                            receiveValue: { value in
                                add(value)
                                upstream?.request(.max(1))
                                return .none
                            }))
                },
                baseline: mapAndFilterByHand),
        ]
    }
}
