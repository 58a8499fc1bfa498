import Dispatch
import HeadgateSystem

/// One command, which may take several attempts.
struct Job: Sendable {
    /// How an attempt, and with the last one the job, ended.
    enum Outcome: Equatable {
        case succeeded
        case failed(String)
        case late
        /// Not finished, because the program is ending.
        case stopped
    }

    /// An event of a job.
    enum Event {
        case line(String)
        case ended(Outcome, attempts: Int)
    }

    let number: Int
    let text: String
    let arguments: Arguments
    let stop: KillSwitch

    /// Runs it until it succeeds or its attempts are used up.
    var events: AnyPublisher<Event, Never> { events(fromAttempt: 1) }

    private func events(fromAttempt number: Int) -> AnyPublisher<Event, Never> {
        attempt(number)
            .flatMap(maxPublishers: .max(1)) { event -> AnyPublisher<Event, Never> in
                guard case .ended(let outcome, _) = event, outcome != .succeeded, outcome != .stopped,
                    number <= arguments.retries
                else { return Just(event).eraseToAnyPublisher() }
                let pause = arguments.backOff * Double(1 << (number - 1))
                return Just(.line("(\(outcome); once more in \(pause) s)"))
                    .append(silence(for: pause))
                    .append(Deferred { events(fromAttempt: number + 1) })
                    .eraseToAnyPublisher()
            }
            .eraseToAnyPublisher()
    }

    /// Runs it once, at most until the deadline.
    private func attempt(_ number: Int) -> AnyPublisher<Event, Never> {
        Deferred {
            let halt = KillSwitch()
            let watching = timer(after: arguments.deadline).merge(with: stop.publisher).sink { halt.turnOff() }
            let command = Command("/bin/sh", "-c", text, grace: .seconds(arguments.grace))
            return command.lines(errors: .merged, stop: halt)
                .map(Event.line)
                .append(
                    Deferred {
                        let outcome: Outcome = stop.isOff ? .stopped : halt.isOff ? .late : .succeeded
                        return Just(Event.ended(outcome, attempts: number)).setFailureType(to: CommandFailure.self)
                    }
                )
                .catch { Just(.ended(.failed($0.reason), attempts: number)) }
                .handleEvents(receiveCompletion: { _ in watching.cancel() }, receiveCancel: watching.cancel)
        }
        .eraseToAnyPublisher()
    }

    private func silence(for seconds: Double) -> AnyPublisher<Event, Never> {
        timer(after: seconds).stopped(by: stop).ignoreOutput().map { _ -> Event in }.eraseToAnyPublisher()
    }

    private func timer(after seconds: Double) -> AnyPublisher<Void, Never> {
        Publishers.timer(interval: .nanoseconds(Int(seconds * 1e9)), times: .max(1))
            .mapToVoid()
            .eraseToAnyPublisher()
    }
}

extension Job.Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed(let reason): reason
        case .late: "took too long"
        case .stopped: "stopped"
        }
    }
}

extension CommandFailure {
    fileprivate var reason: String {
        switch self {
        case .system(let error): "\(error)"
        case .exited(let exit, _): "\(exit)"
        }
    }
}
