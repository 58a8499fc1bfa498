import Headgate

/// Why fetching a page failed.
enum FetchError: Error, Hashable, CustomStringConvertible {
    case overloaded
    case down
    case late(StreamTimeout)
    case rejected(CircuitOpen)

    var description: String {
        switch self {
        case .overloaded: "overloaded"
        case .down: "down"
        case .late: "no answer in time"
        case .rejected(let reason): "\(reason)"
        }
    }
}

/// A realistic service: it takes time, is sometimes overloaded, sometimes never responds, and is down for one and a
/// half seconds.
// Used on the scheduler alone, hence unchecked.
final class Service<Context: Scheduler & Sendable>: @unchecked Sendable
where Context.SchedulerOptions: Sendable, Context.SchedulerTimeType.Stride: Sendable {
    private let scheduler: Context
    private let start: Context.SchedulerTimeType
    private var chance: Chance

    init(_ scheduler: Context, seed: UInt64) {
        self.scheduler = scheduler
        start = scheduler.now
        chance = Chance(seed: seed)
    }

    private var isDown: Bool {
        let (beginning, end) = (start.advanced(by: .milliseconds(1000)), start.advanced(by: .milliseconds(2500)))
        return beginning <= scheduler.now && scheduler.now < end
    }

    /// Starts to fetch a page on subscription.
    func page(_ number: Int) -> AnyPublisher<String, FetchError> {
        Deferred { self.answer(number) }.eraseToAnyPublisher()
    }

    private func answer(_ number: Int) -> AnyPublisher<String, FetchError> {
        let kind = chance.share()
        let time = Int(20 + chance.share() * 100)
        if isDown { return failure(.down, after: 5) }
        if kind < 0.15 { return failure(.overloaded, after: time) }
        if kind < 0.2 { return Empty(completeImmediately: false).eraseToAnyPublisher() }
        return Just("page \(number)")
            .delay(for: .milliseconds(time), scheduler: scheduler)
            .setFailureType(to: FetchError.self)
            .eraseToAnyPublisher()
    }

    private func failure(_ error: FetchError, after milliseconds: Int) -> AnyPublisher<String, FetchError> {
        Just(())
            .delay(for: .milliseconds(milliseconds), scheduler: scheduler)
            .setFailureType(to: FetchError.self)
            .flatMap { Fail<String, FetchError>(error: error) }
            .eraseToAnyPublisher()
    }
}
