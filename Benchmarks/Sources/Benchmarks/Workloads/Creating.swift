import Dispatch
import Headgate

extension Workload {
    /// Publishers that call the client, or that stand around another one, each with a step behind it.
    static var creating: [Workload] {
        [
            made("emitter", reach: 298) { count in
                Publishers.emitter(Int.self, buffering: .unbounded) { emitter in
                    for value in 0..<count { emitter.send(value) }
                    emitter.finish()
                }
            },
            made("create", reach: 294) { count in
                AnyPublisher<Int, Never>.create { subscriber in
                    for value in 0..<count { subscriber.send(value) }
                    subscriber.send(completion: .finished)
                    return AnyCancellable {}
                }
            },
            made("unfold", reach: 105) { count in
                Publishers.unfold(0) { (value: inout Int) in
                    value += 1
                    return value <= count ? value : nil
                }
            },
            made("resource", reach: 108) { count in
                Publishers.resource(open: { 0 }) { (value: inout Int) in
                    value += 1
                    return value <= count ? value : nil
                } close: { _ in
                }
            },
            made("always", reach: 71) { Always(1).prefix($0) },
            made("deferred", reach: 57) { count in Deferred { Numbers(count: count) } },
            made("using", reach: 108) { count in
                Publishers.using(acquire: {}, publisher: { Numbers(count: count) }, release: {})
            },
            made("using-when", reach: 422) { count in
                Publishers.usingWhen(acquire: Just(count)) {
                    Numbers(count: $0)
                } release: { _, _ in
                    Just(())
                }
            },
            made("async-resource", reach: 2500, isThreaded: true) { count in
                Publishers.resource(open: { 0 }) { (value: inout Int) async in
                    value += 1
                    return value <= count ? value : nil
                } close: { _ in
                }
            },
            made("async-using", reach: 1000, isThreaded: true) { count in
                Publishers.using(acquire: { () async in }, publisher: { Numbers(count: count) }, release: { _, _ in })
            },
        ]
    }

    private static func made<P: Publisher<Int, Failure>, Failure>(
        _ name: String, reach: Int, isThreaded: Bool = false, _ make: @escaping (Int) -> P
    ) -> Workload {
        Workload(
            name: name, element: "value", reach: reach, isThreaded: isThreaded,
            run: { count in
                let isOver = DispatchSemaphore(value: 0)
                let listener = make(count).map { $0 &+ 1 }
                    .sink(receiveCompletion: { _ in isOver.signal() }, receiveValue: Opaque.add)
                isOver.wait()
                listener.cancel()
            },
            baseline: { count in
                let add = Opaque.add
                for value in 0..<count { add(value &+ 1) }
            })
    }
}
