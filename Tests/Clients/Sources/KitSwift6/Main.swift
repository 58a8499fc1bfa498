import Combine
import HeadgateTesting
import HeadgateVerification

// A package that knows nothing of Headgate but its kit, with operators of its own under names that Headgate has as well.
extension Publisher {
    func amb(_ other: some Publisher<Output, Failure>) -> AnyPublisher<Output, Failure> {
        merge(with: other).prefix(1).eraseToAnyPublisher()
    }

    func withLatestFrom<Other: Publisher>(_ other: Other) -> AnyPublisher<(Output, Other.Output), Failure>
    where Other.Failure == Failure {
        combineLatest(other).eraseToAnyPublisher()
    }
}

/// Counts down from three.
struct Countdown: Publisher {
    typealias Output = Int
    typealias Failure = Never

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        [3, 2, 1].publisher.subscribe(subscriber)
    }
}

@main
struct Main {
    static func main() {
        let report = verify(publisher: Countdown(), .finite)
        guard report.isConforming else { fatalError(report.description) }
        let first = TestSubscriber<Int, Never>(.unlimited)
        Countdown().amb(Just(9)).subscribe(first)
        let pairs = TestSubscriber<Int, Never>(.unlimited)
        Countdown().withLatestFrom(Just(9)).map { $0 * $1 }.subscribe(pairs)
        print("a client of the kit alone:", first.values, pairs.values)
    }
}
