import Headgate
import HeadgateTesting

/// One of Headgate's own publishers, operators or subjects, and how to verify it.
struct Candidate {
    typealias Upstream = TestPublisher<Int, VerificationFailure>

    let name: String
    let verify: (Effort) -> Verification

    // Each of these makes a candidate of the kind that it is named for.

    static func publisher<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = [], _ make: @escaping () -> P
    ) -> Candidate {
        Candidate(name: name) { HeadgateTesting.verify(publisher: make(), capabilities, effort: $0) }
    }

    static func step<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = [], _ make: @escaping (Upstream) -> P
    ) -> Candidate {
        Candidate(name: name) { HeadgateTesting.verify(operator: make, capabilities, effort: $0) }
    }

    static func timed<P: Publisher>(
        _ name: String, _ capabilities: Capabilities = [], _ make: @escaping (Upstream, TestScheduler) -> P
    ) -> Candidate {
        Candidate(name: name) { HeadgateTesting.verify(operator: make, capabilities, effort: $0) }
    }

    static func subject<S: Subject>(_ name: String, _ make: @escaping () -> S) -> Candidate
    where S.Output == Int, S.Failure == VerificationFailure {
        Candidate(name: name) { HeadgateTesting.verify(subject: make(), effort: $0) }
    }
}

extension Candidate {
    /// Everything that is verified, by family.
    static var catalogue: [Candidate] {
        publishers + transparentOperators + operators + joiningOperators + timedOperators + subjects
    }

    static var publishers: [Candidate] {
        [
            .publisher("Sequence", .finite) { (1...6).publisher },
            .publisher("endless Sequence", .unbounded) { (1...).publisher },
            .publisher("Just", .finite) { Just(1) },
            .publisher("Empty", .finite) { Empty<Int, VerificationFailure>() },
            .publisher("Empty that never ends") { Empty<Int, VerificationFailure>(completeImmediately: false) },
            .publisher("Fail", [.finite, .fails]) { Fail<Int, VerificationFailure>(error: .upstreamFailed) },
            .publisher("Optional", .finite) { Int?.some(1).publisher },
            .publisher("Result", [.finite, .fails]) {
                Result<Int, VerificationFailure>.failure(.upstreamFailed).publisher
            },
            .publisher("Deferred", .finite) { Deferred { (1...4).publisher } },
            .publisher("Future", .finite) { Future<Int, Never> { $0(.success(1)) } },
            .publisher("Record", .finite) { Record<Int, Never>(output: [1, 2, 3, 4], completion: .finished) },
            .publisher("Always", .unbounded) { Always(1) },
        ]
    }

    static var transparentOperators: [Candidate] {
        [
            .step("map", .transparent) { $0.map { $0 * 10 } },
            .step("compactMap", .transparent) { $0.compactMap { $0.isMultiple(of: 2) ? $0 : nil } },
            .step("filter", .transparent) { $0.filter { $0.isMultiple(of: 2) } },
            .step("scan", .transparent) { $0.scan(0, +) },
            .step("removeDuplicates", .transparent) { $0.removeDuplicates() },
            .step("mapError", .transparent) { $0.mapError { $0 } },
            .step("drop(while:)", .transparent) { $0.drop { $0 < 3 } },
            .step("dropFirst", .transparent) { $0.dropFirst(2) },
            .step("ignoreOutput", .transparent) { $0.ignoreOutput() },
            .step("handleEvents", .transparent) { $0.handleEvents(receiveOutput: { _ in }) },
        ]
    }

    static var operators: [Candidate] {
        [
            .step("tryMap") { $0.tryMap { $0 } },
            .step("tryFilter") { $0.tryFilter { $0.isMultiple(of: 2) } },
            .step("prefix") { $0.prefix(5) },
            .step("prefix(while:)") { $0.prefix { $0 < 5 } },
            .step("output(at:)") { $0.output(at: 2) },
            .step("first") { $0.first() },
            .step("first(where:)") { $0.first { $0 > 3 } },
            .step("last") { $0.last() },
            .step("contains") { $0.contains(3) },
            .step("allSatisfy") { $0.allSatisfy { $0 < 30 } },
            .step("reduce") { $0.reduce(0, +) },
            .step("collect") { $0.collect() },
            .step("collect(count)") { $0.collect(3) },
            .step("count") { $0.count() },
            .step("max") { $0.max() },
            .step("replaceEmpty") { $0.replaceEmpty(with: 0) },
            .step("replaceError") { $0.replaceError(with: 0) },
            .step("catch") { $0.catch { _ in Just(7) } },
            .step("buffer") { $0.buffer(size: 100, prefetch: .keepFull, whenFull: .dropNewest) },
        ]
    }

    static var joiningOperators: [Candidate] {
        let others = { TestPublisher<Int, VerificationFailure>(serving: [100, 200, 300, 400]) }
        return [
            .step("zip") { $0.zip(others()) },
            .step("combineLatest", [.dropsUnasked, .merges]) { $0.combineLatest(others()) },
            .step("merge", .merges) { $0.merge(with: others()) },
            .step("append") { $0.append(1, 2, 3) },
            .step("prepend") { $0.prepend(1, 2, 3) },
            .step("flatMap", .merges) {
                $0.flatMap { [$0, $0 * 10].publisher.setFailureType(to: VerificationFailure.self) }
            },
            .step("flatMap one at a time") {
                $0.flatMap(maxPublishers: .max(1)) {
                    [$0, $0 * 10].publisher.setFailureType(to: VerificationFailure.self)
                }
            },
            .step("switchToLatest", .dropsUnasked) {
                $0.map { [$0, $0 * 10].publisher.setFailureType(to: VerificationFailure.self) }.switchToLatest()
            },
        ]
    }

    static var timedOperators: [Candidate] {
        [
            .timed("receive(on:)") { $0.receive(on: $1) },
            .timed("subscribe(on:)") { $0.subscribe(on: $1) },
            .timed("delay") { $0.delay(for: .seconds(1), scheduler: $1) },
            .timed("debounce", .dropsUnasked) { $0.debounce(for: .seconds(1), scheduler: $1) },
            .timed("throttle", .dropsUnasked) { $0.throttle(for: .seconds(1), scheduler: $1, latest: true) },
            .timed("measureInterval", .dropsUnasked) { $0.measureInterval(using: $1) },
        ]
    }

    static var subjects: [Candidate] {
        [
            .subject("PassthroughSubject") { PassthroughSubject<Int, VerificationFailure>() },
            .subject("CurrentValueSubject") { CurrentValueSubject<Int, VerificationFailure>(0) },
        ]
    }
}
