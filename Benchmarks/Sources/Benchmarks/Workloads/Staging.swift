import Headgate
import HeadgateFlow

extension Workload {
    /// A stage of a flow, compared with the same pipeline without it: before, between and after steps, of a source that
    /// sends and of one that is read, with unlimited demand and with one value at a time.
    static var staging: [Workload] {
        [
            sent("stage-of-subject") { source, flow in
                source.stage("sent", in: flow).sink(receiveValue: Opaque.add)
            } without: { source in
                source.sink(receiveValue: Opaque.add)
            },
            sent("stage-of-subject-between-steps") { source, flow in
                source.map(Opaque.increment).stage("mapped", in: flow).filter(Opaque.isEven).sink(
                    receiveValue: Opaque.add)
            } without: { source in
                source.map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
            },
            sent("stage-of-subject-after-steps") { source, flow in
                source.map(Opaque.increment).map(Opaque.increment).stage("mapped", in: flow).sink(
                    receiveValue: Opaque.add)
            } without: { source in
                source.map(Opaque.increment).map(Opaque.increment).sink(receiveValue: Opaque.add)
            },
            // Without the stage, the compiler inlines the loop into its caller, and calls the sink's closure without the two
            // thunks, of 21 instructions, that every other pipeline has.
            Workload(
                name: "stage-of-range", element: "value", reach: 55, isAddition: true,
                run: { count in
                    let flow = Flow("benchmark")
                    _ = (0..<count).publisher.stage("read", in: flow).sink(receiveValue: Opaque.add)
                },
                baseline: { count in _ = (0..<count).publisher.sink(receiveValue: Opaque.add) }),
            Workload(
                name: "stage-of-range-between-steps", element: "value", reach: 40, isAddition: true,
                run: { count in
                    let flow = Flow("benchmark")
                    _ = (0..<count).publisher
                        .map(Opaque.increment).stage("mapped", in: flow).filter(Opaque.isEven)
                        .sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    _ = (0..<count).publisher
                        .map(Opaque.increment).filter(Opaque.isEven).sink(receiveValue: Opaque.add)
                }),
            Workload(
                name: "stage-of-range-after-steps", element: "value", reach: 40, isAddition: true,
                run: { count in
                    let flow = Flow("benchmark")
                    _ = (0..<count).publisher
                        .map(Opaque.increment).map(Opaque.increment).stage("mapped", in: flow)
                        .sink(receiveValue: Opaque.add)
                },
                baseline: { count in
                    _ = (0..<count).publisher
                        .map(Opaque.increment).map(Opaque.increment).sink(receiveValue: Opaque.add)
                }),
            // Some eight of what is added are thunks of the steps' closures, which the compiler removes without the stage.
            Workload(
                name: "stage-one-by-one", element: "value", reach: 45, isAddition: true,
                run: { count in
                    let flow = Flow("benchmark")
                    (0..<count).publisher.map(Opaque.increment).stage("mapped", in: flow).filter(Opaque.isEven)
                        .subscribe(oneByOne())
                },
                baseline: { count in
                    (0..<count).publisher.map(Opaque.increment).filter(Opaque.isEven).subscribe(oneByOne())
                }),
            // A request goes through the stage to the source, which takes longer than the stage itself.
            Workload(
                name: "stage-one-by-one-request", element: "value", reach: 350, isAddition: true,
                run: { count in
                    let flow = Flow("benchmark")
                    requestOneByOne((0..<count).publisher.stage("read", in: flow))
                },
                baseline: { count in requestOneByOne((0..<count).publisher) }),
        ]
    }

    private static func requestOneByOne(_ publisher: some Publisher<Int, Never>) {
        let add = Opaque.add
        var upstream: (any Subscription)?
        publisher.subscribe(
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
    }

    private static func sent(
        _ name: String, _ staged: @escaping (PassthroughSubject<Int, Never>, Flow) -> AnyCancellable,
        without: @escaping (PassthroughSubject<Int, Never>) -> AnyCancellable
    ) -> Workload {
        Workload(
            name: name, element: "send", reach: 40, isAddition: true,
            run: { count in
                let subject = PassthroughSubject<Int, Never>()
                let sink = staged(subject, Flow("benchmark"))
                for value in 0..<count { subject.send(value) }
                sink.cancel()
            },
            baseline: { count in
                let subject = PassthroughSubject<Int, Never>()
                let sink = without(subject)
                for value in 0..<count { subject.send(value) }
                sink.cancel()
            })
    }

    /// A subscriber that returns demand for one value each time.
    // Not inlined, so that the compiler sees as much of its closures in one pipeline as in the other.
    @inline(never) private static func oneByOne() -> AnySubscriber<Int, Never> {
        let add = Opaque.add
        return AnySubscriber(
            receiveSubscription: { $0.request(.max(1)) },
            receiveValue: { value in
                add(value)
                return .max(1)
            })
    }
}
