import Headgate
import TestSupport

/// The operators with several subscribers, several upstreams, or a place to keep values.
extension Catalogue {
    static var sharing: [CataloguedOperator] {
        [
            CataloguedOperator("share") { $0.share() },
            CataloguedOperator("multicast, autoconnect") {
                $0.multicast { PassthroughSubject() }.autoconnect()
            },
            CataloguedOperator("multicast(subject:), autoconnect") {
                $0.multicast(subject: PassthroughSubject()).autoconnect()
            },
            CataloguedOperator("makeConnectable, autoconnect") {
                $0.replaceError(with: 0).makeConnectable().autoconnect()
            },
            CataloguedOperator("shareReplay") { $0.shareReplay(capacity: 2) },
        ]
    }

    static var observing: [CataloguedOperator] {
        [
            CataloguedOperator("print") { $0.print("", to: Silence()) },
            CataloguedOperator("handleEvents") { $0.handleEvents(receiveOutput: { _ in }) },
            CataloguedOperator("breakpoint") { $0.breakpoint() },
            CataloguedOperator("assertNoFailure") { $0.replaceError(with: 0).assertNoFailure() },
        ]
    }

    static var joining: [CataloguedOperator] {
        [
            CataloguedOperator("zip") { $0.zip(numbers(5)) },
            CataloguedOperator("zip of three") { $0.zip(numbers(5), numbers(4)) },
            CataloguedOperator("zip with itself") { $0.share().zip(numbers(9)) { $0 + $1 } },
            CataloguedOperator("combineLatest") { $0.combineLatest(numbers(3)) },
            CataloguedOperator("combineLatest, other way round") { numbers(3).combineLatest($0) },
            CataloguedOperator("combineLatest of three") { $0.combineLatest(numbers(2), numbers(1)) },
            CataloguedOperator("merge") { $0.merge(with: numbers(3)) },
            CataloguedOperator("merge of three") { $0.merge(with: numbers(3), numbers(0)) },
            CataloguedOperator("MergeMany") {
                Publishers.MergeMany([$0, numbers(2), numbers(0), numbers(2)])
            },
            CataloguedOperator("append") { $0.append(7, 8) },
            CataloguedOperator("append a publisher") { $0.append(numbers(3)) },
            CataloguedOperator("prepend") { $0.prepend([7, 8]) },
            CataloguedOperator("prepend a publisher") { $0.prepend(numbers(3)) },
            CataloguedOperator("prepend and append") { $0.prepend(7).append(8).prepend(numbers(0)) },
            CataloguedOperator("prefix(untilOutputFrom:) silent") { $0.prefix(untilOutputFrom: silence) },
            CataloguedOperator("prefix(untilOutputFrom:) at once") { $0.prefix(untilOutputFrom: Just(1)) },
            CataloguedOperator("drop(untilOutputFrom:) silent") { $0.drop(untilOutputFrom: silence) },
            CataloguedOperator("drop(untilOutputFrom:) at once") { $0.drop(untilOutputFrom: numbers(1)) },
            CataloguedOperator("drop(untilOutputFrom:) failing") {
                $0.drop(untilOutputFrom: Fail<Int, TestFailure>(error: .second))
            },
        ]
    }

    static var flattening: [CataloguedOperator] {
        [
            CataloguedOperator("flatMap") { $0.flatMap { numbers($0 % 5) } },
            CataloguedOperator("flatMap(maxPublishers: 1)") {
                $0.flatMap(maxPublishers: .max(1)) { numbers($0 % 5) }
            },
            CataloguedOperator("flatMap(maxPublishers: 2)") {
                $0.flatMap(maxPublishers: .max(2)) { numbers($0 % 3) }
            },
            CataloguedOperator("flatMap to Just") {
                $0.flatMap { Just($0).setFailureType(to: TestFailure.self) }
            },
            CataloguedOperator("flatMap(maxPublishers: 1) to Just") {
                $0.flatMap(maxPublishers: .max(1)) { Just($0).setFailureType(to: TestFailure.self) }
            },
            CataloguedOperator("flatMap to a failure") {
                $0.flatMap { number in Result { try number.unless(5) }.mapError { _ in TestFailure.second }.publisher }
            },
            CataloguedOperator("switchToLatest") { $0.map { numbers($0 % 4) }.switchToLatest() },
            CataloguedOperator("switchToLatest of endless ones") {
                $0.map { numbers($0 % 4).append(silence) }.switchToLatest()
            },
        ]
    }

    static var following: [CataloguedOperator] {
        [
            CataloguedOperator("catch") { $0.catch { _ in numbers(3) } },
            CataloguedOperator("catch in the middle") {
                $0.tryMap { try $0.unless(5) }.catch { _ in Just(0) }
            },
            CataloguedOperator("tryCatch") { $0.tryCatch { _ in numbers(3) } },
            CataloguedOperator("tryCatch that throws") {
                $0.tryCatch { _ -> AnyPublisher<Int, TestFailure> in throw TestFailure.second }
            },
            CataloguedOperator("retry") { $0.retry(2) },
        ]
    }

    static var buffering: [CataloguedOperator] {
        let strategies: [(String, Publishers.BufferingStrategy<TestFailure>)] = [
            ("dropNewest", .dropNewest), ("dropOldest", .dropOldest), ("customError", .customError { .second }),
        ]
        return strategies.flatMap { name, strategy in
            [
                CataloguedOperator("buffer(keepFull, \(name))") {
                    $0.buffer(size: 2, prefetch: .keepFull, whenFull: strategy)
                },
                CataloguedOperator("buffer(byRequest, \(name))") {
                    $0.buffer(size: 2, prefetch: .byRequest, whenFull: strategy)
                },
            ]
        }
    }

    static func numbers(_ count: Int) -> AnyPublisher<Int, TestFailure> {
        (0..<count).publisher.setFailureType(to: TestFailure.self).eraseToAnyPublisher()
    }

    static var silence: Empty<Int, TestFailure> { Empty(completeImmediately: false) }
}

private struct Silence: TextOutputStream {
    mutating func write(_ string: String) {}
}
