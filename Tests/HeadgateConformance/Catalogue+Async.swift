import Headgate
import HeadgateTesting
import HeadgateVerification

/// Publishers written without counting demand, and publishers with tasks of their own.
///
/// Tasks run on an executor that runs each step as soon as it can, so that a stream serves demand immediately.
extension Candidate {
    static var bridging: Family<Candidate> {
        let channel = StreamChannel<Int, Never>(capacity: 4)
        return Family(
            "Bridging",
            [
                .publisher("Publishers.unfold", .finite) {
                    Publishers.unfold(0) { (state: inout Int) -> Int? in
                        state += 1
                        return state > 5 ? nil : state
                    }
                }
                .excusing(.completesAfterLastValue, because: read),
                .publisher("Publishers.unfold that throws", [.finite, .fails]) {
                    Publishers.unfold(0) { (state: inout Int) throws(VerificationFailure) -> Int? in
                        state += 1
                        if state == 4 { throw .upstreamFailed }
                        return state
                    }
                }
                .excusing(.oneCompletion, because: read),
                .publisher("Publishers.resource", .finite) {
                    Publishers.resource {
                        (1...5).makeIterator()
                    } read: {
                        $0.next()
                    } close: { _ in
                    }
                }
                .excusing(.completesAfterLastValue, because: read),
                .publisher("Publishers.emitter", .finite) {
                    Publishers.emitter(Int.self, buffering: .unbounded) { emitter in
                        (1...5).forEach { emitter.send($0) }
                    }
                },
                .publisher("Publishers.emitter(onRequest:)", .unbounded.union(.hot)) {
                    Publishers.emitter(Int.self, buffering: .none) { emitter in
                        // Weakly, because the closure belongs to the stream that the emitter retains.
                        emitter.onRequest { [weak emitter] _ in
                            while let emitter, emitter.demand > .none { emitter.send(1) }
                        }
                        emitter.onCancel { _ = emitter }
                    }
                },
                .publisher("AnyPublisher.create", .finite) {
                    AnyPublisher<Int, Never>.create { subscriber in
                        (1...5).forEach { subscriber.send($0) }
                        subscriber.send(completion: .finished)
                        return AnyCancellable {}
                    }
                },
                .publisher("Publishers.using", .finite) {
                    Publishers.using {
                        5
                    } publisher: {
                        (0..<$0).publisher
                    } release: { _ in
                    }
                },
                .publisher("StreamChannel", [.hot, .holdsSubscribers], settle: { _ = channel.trySend(1) }) { channel },
                .step("step(state:_:)", [.endsWithUpstream, .transparent]) {
                    $0.step(state: 0) { (sum: inout Int, value: Int) -> Int? in
                        sum += value
                        return sum.isMultiple(of: 2) ? sum : nil
                    }
                },
                .step("step(state:_:atEnd:)") {
                    $0.step(state: 0) { (sum: inout Int, value: Int) -> Int? in
                        sum += value
                        return sum.isMultiple(of: 2) ? sum : nil
                    } atEnd: {
                        $0
                    }
                },
                .step("step(state:_:) that ends", .finite) {
                    $0.step(state: 0) {
                        (sum: inout Int, value: Int) -> Publishers.StepResult<Int, VerificationFailure> in
                        sum += 1
                        return sum < 4 ? .next(value) : .last(value)
                    }
                },
                .step("carrying") { $0.carrying(Place.$name) },
            ])
    }

    static var awaiting: Family<Candidate> {
        Family(
            "Awaiting",
            [
                .publisher("Publishers.produce", .finite) {
                    Publishers.produce(Int.self, failure: Never.self) { yield throws(CancellationError) in
                        for value in 1...5 { try await yield(value) }
                    }
                    .tasks(on: TestExecutor(runsAtOnce: true))
                },
                .publisher("Publishers.task", .finite) {
                    Publishers.task {
                        await Task.yield()
                        return 1
                    }
                    .tasks(on: TestExecutor(runsAtOnce: true))
                },
                .publisher("AsyncSequence.publisher", .finite) {
                    AsyncStream(Int.self) { stream in
                        (1...5).forEach { stream.yield($0) }
                        stream.finish()
                    }
                    .publisher.tasks(on: TestExecutor(runsAtOnce: true))
                }
                .excusing(.completesAfterLastValue, because: read),
                .publisher("Publishers.resource, asynchronous", .finite) {
                    Publishers.resource {
                        await Task.yield()
                        return (1...5).makeIterator()
                    } read: {
                        await Task.yield()
                        return $0.next()
                    } close: { _ in
                        await Task.yield()
                    }
                    .tasks(on: TestExecutor(runsAtOnce: true))
                }
                .excusing(.completesAfterLastValue, because: read),
                .publisher("Publishers.using, asynchronous", .finite) {
                    Publishers.using {
                        await Task.yield()
                        return 5
                    } publisher: {
                        (0..<$0).publisher
                    } release: { _, _ in
                        await Task.yield()
                    }
                    .tasks(on: TestExecutor(runsAtOnce: true))
                },
                .step("asyncMap") { tasked($0.asyncMap { $0 * 10 }) },
                .step("asyncMap(maxConcurrent: 3)") {
                    tasked($0.asyncMap(maxConcurrent: 3) { value in await waiting(value) })
                },
                .step("asyncMap(ordered: false)", [.endsWithUpstream, .merges]) {
                    // Work that waits may end in any order, where results that waited are left to another task.
                    tasked($0.asyncMap(maxConcurrent: 3, ordered: false) { value in value })
                },
                .step("asyncMap that throws") { tasked($0.asyncMap { try $0.unlessNine() }) },
                .step("asyncMap(maxConcurrent:by:)") {
                    tasked($0.asyncMap(maxConcurrent: 3, by: { $0 % 2 }) { value in await waiting(value) })
                },
                .step("asyncMapLatest", [.asynchronous, .dropsUnasked, .leavesValuesOut]) {
                    tasked($0.asyncMapLatest { $0 * 10 })
                }
                .excused(because: latest),
                .step("asyncMapLatest(waitsForCancelled: true)", [.asynchronous, .dropsUnasked, .leavesValuesOut]) {
                    tasked($0.asyncMapLatest(waitsForCancelled: true) { value in await waiting(value) })
                }
                .excused(because: latest),
                .step("asyncCompactMap") { tasked($0.asyncCompactMap { $0.isMultiple(of: 2) ? $0 : nil }) },
                .step("asyncFilter") {
                    tasked($0.asyncFilter(maxConcurrent: 2) { await waiting($0).isMultiple(of: 2) })
                },
                .step("asyncFlatMap", [.endsWithUpstream, .merges]) {
                    tasked($0.asyncFlatMap(maxConcurrent: 2) { await numbers(waiting($0) % 4) })
                },
            ])
    }

    private static var latest: String { "a later value drops the result of an earlier one, requested or not" }

    /// The row, excused from delivering all that it has demand for.
    private func excused(because reason: String) -> Candidate {
        [Rule.demandAddsUp, .unlimitedAbsorbs, .nothingIsLost].reduce(self) { $0.excusing($1, because: reason) }
    }

    private static var read: String { "it has to be read to find its end" }

    private static func waiting(_ value: Int) async -> Int {
        for _ in 0..<(value % 3) { await Task.yield() }
        return value
    }

    private static func tasked<P: Publisher>(_ publisher: P) -> Publishers.TasksOn<P> {
        publisher.tasks(on: TestExecutor(runsAtOnce: true))
    }
}

private enum Place { @TaskLocal static var name = "" }
