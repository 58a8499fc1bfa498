import Dispatch
import Headgate

extension Workload {
    /// Pipelines in code that the compiler does not specialise: that of a library whose functions are generic, or behind an `any Publisher`.
    static var generic: [Workload] {
        [
            Workload(name: "generic-subject-map-filter-sink", element: "value", reach: 1300) { count in
                send(count, { $0 & 1 == 0 }) { Opaque.add($0) }
            } baseline: {
                byHand($0)
            },
            Workload(name: "generic-range-five-erased-maps-sink", element: "value", reach: 2200) { count in
                var publisher = (0..<count).publisher.eraseToAnyPublisher()
                for _ in 1...5 { publisher = erased(publisher) }
                publisher.sink { Opaque.add($0) }.cancel()
            } baseline: {
                byHand($0)
            },
            Workload(name: "any-subject-map-filter-sink", element: "value", reach: 1300) { count in
                let subject = PassthroughSubject<Int, Never>()
                let cancellable = listen(to: subject) { Opaque.add($0) }
                for value in 0..<count { subject.send(value) }
                cancellable.cancel()
            } baseline: {
                byHand($0)
            },
            Workload(name: "generic-flat-map", element: "inner publisher", reach: 3600) { count in
                flattened(count) { Opaque.add($0) }
            } baseline: {
                byHand($0)
            },
            Workload(name: "generic-receive-on", element: "value", reach: 4000, isThreaded: true) { count in
                wait { done in
                    received(count, on: DispatchQueue(label: "generic")) {
                        Opaque.add($0)
                    } ending: {
                        done.signal()
                    }
                }
            } baseline: {
                byHand($0)
            },
            Workload(name: "generic-async-map", element: "value", reach: 13_000, isThreaded: true) { count in
                wait { done in
                    awaited(count) {
                        Opaque.add($0)
                    } ending: {
                        done.signal()
                    }
                }
            } baseline: {
                byHand($0)
            },
        ]
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func flattened<T: FixedWidthInteger & Sendable>(
        _ count: Int, _ receive: @escaping @Sendable (T) -> Void
    ) {
        (0..<count).publisher.map { T(truncatingIfNeeded: $0) }.flatMap { Just($0) }.sink(receiveValue: receive)
            .cancel()
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func received<T: FixedWidthInteger & Sendable>(
        _ count: Int, on queue: DispatchQueue, _ receive: @escaping @Sendable (T) -> Void,
        ending end: @escaping @Sendable () -> Void
    ) -> AnyCancellable {
        (0..<count).publisher.map { T(truncatingIfNeeded: $0) }.receive(on: queue)
            .sink(receiveCompletion: { _ in end() }, receiveValue: receive)
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func awaited<T: FixedWidthInteger & Sendable>(
        _ count: Int, _ receive: @escaping @Sendable (T) -> Void, ending end: @escaping @Sendable () -> Void
    ) -> AnyCancellable {
        (0..<count).publisher.map { T(truncatingIfNeeded: $0) }.asyncMap { $0 }
            .sink(receiveCompletion: { _ in end() }, receiveValue: receive)
    }

    private static func byHand(_ count: Int) {
        for value in 0..<count where value & 1 == 0 { Opaque.add(value) }
    }

    // What a client sees of a generic function of another module whose body it does not see.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func send<T: FixedWidthInteger>(
        _ count: Int, _ isIncluded: @escaping @Sendable (T) -> Bool, _ receive: @escaping @Sendable (T) -> Void
    ) {
        let subject = PassthroughSubject<T, Never>()
        let cancellable = subject.map { $0 }.filter(isIncluded).sink(receiveValue: receive)
        for value in 0..<count { subject.send(T(truncatingIfNeeded: value)) }
        cancellable.cancel()
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func erased<T>(_ publisher: AnyPublisher<T, Never>) -> AnyPublisher<T, Never> {
        publisher.map { $0 }.eraseToAnyPublisher()
    }

    private static func listen(
        to publisher: any Publisher<Int, Never>, _ receive: @escaping @Sendable (Int) -> Void
    ) -> AnyCancellable {
        attach(publisher, receive)
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    private static func attach(
        _ publisher: some Publisher<Int, Never>, _ receive: @escaping @Sendable (Int) -> Void
    ) -> AnyCancellable {
        publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.sink(receiveValue: receive)
    }
}
