import HeadgateCore

/// Follows a publisher step by step: expects values, asks for more, lets time pass, expects nothing, cancels.
///
/// Steps are written in the order in which they should happen, and carried out by `verify(fail:)`, which fails on
/// whatever was not expected, on what was left over, on every breach of the contract and on timers left behind.
///
/// ```swift
/// StepVerifier((1...3).publisher)
///     .request(2)
///     .expect(1, 2)
///     .expectNothing()
///     .request(1)
///     .expect(3)
///     .expectFinish()
///     .verify { XCTFail($0, file: $1, line: $2) }
/// ```
public struct StepVerifier<Output: Equatable, Failure: Error> {
    enum Action {
        case request(Subscribers.Demand)
        case expect([Output])
        case expectMatching(String, (Output) -> Bool)
        case expectNothing
        case expectFinish
        case expectFailure(String, (Failure) -> Bool)
        case advance(TestTime.Stride)
        case perform(() -> Void)
        case cancel
    }

    struct Step {
        let action: Action
        let file: StaticString
        let line: UInt
    }

    private let publisher: AnyPublisher<Output, Failure>
    private let scheduler: TestScheduler?
    private let demand: Subscribers.Demand
    private var steps: [Step] = []

    /// Makes a verifier that has no steps yet.
    ///
    /// - Parameters:
    ///   - publisher: What is followed. It is subscribed when the steps are carried out.
    ///   - demand: What is asked for on receiving the subscription.
    ///   - scheduler: The scheduler on which the publisher counts time.
    public init<P: Publisher>(_ publisher: P, demand: Subscribers.Demand = .none, scheduler: TestScheduler? = nil)
    where P.Output == Output, P.Failure == Failure {
        self.publisher = publisher.eraseToAnyPublisher()
        self.demand = demand
        self.scheduler = scheduler
    }

    private func adding(_ action: Action, _ file: StaticString, _ line: UInt) -> StepVerifier {
        var longer = self
        longer.steps.append(Step(action: action, file: file, line: line))
        return longer
    }

    /// Carries the steps out, and fails on what was not expected and on what is left over.
    ///
    /// - Parameters:
    ///   - file: The file to blame for what is left over.
    ///   - line: The line to blame for what is left over.
    ///   - fail: Records one failure.
    public func verify(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        let subscriber = TestSubscriber<Output, Failure>(
            DemandScript(atSubscription: demand), clock: scheduler)
        publisher.subscribe(subscriber)
        var run = StepRun(subscriber: subscriber, scheduler: scheduler)
        for (index, step) in steps.enumerated() {
            guard let trouble = run.carryOut(step.action) else { continue }
            // What comes behind the first surprise would surprise as well.
            subscriber.cancel()
            return fail("step \(index + 1): \(trouble)\n\(subscriber.timeLine())", step.file, step.line)
        }
        for trouble in run.findLeftovers() { fail("\(trouble)\n\(subscriber.timeLine())", file, line) }
        subscriber.cancel()
    }
}

extension StepVerifier {
    /// Asks for so many values.
    public func request(_ count: Int, file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.max(count)), file, line)
    }

    /// Asks for everything.
    public func requestEverything(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.unlimited), file, line)
    }

    /// Expects these values to be the next ones.
    public func expect(_ values: Output..., file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expect(values), file, line)
    }

    /// Expects the next value to be one for which a closure answers true.
    public func expect(
        matching description: String, file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.expectMatching(description, isExpected), file, line)
    }

    /// Expects that nothing has come that was not mentioned so far.
    public func expectNothing(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectNothing, file, line)
    }

    /// Expects that the stream has finished.
    public func expectFinish(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectFinish, file, line)
    }

    /// Expects that the stream has failed with an error for which a closure answers true.
    public func expectFailure(
        matching description: String = "an error", file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Failure) -> Bool = { _ in true }
    ) -> StepVerifier {
        adding(.expectFailure(description, isExpected), file, line)
    }

    /// Moves the scheduler's clock on; without a scheduler, nothing happens.
    public func advance(
        by stride: TestTime.Stride, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.advance(stride), file, line)
    }

    /// Does something else, such as sending into a subject.
    public func perform(
        file: StaticString = #filePath, line: UInt = #line, _ action: @escaping () -> Void
    ) -> StepVerifier {
        adding(.perform(action), file, line)
    }

    /// Cancels.
    ///
    /// Nothing may come behind it.
    public func cancel(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.cancel, file, line)
    }
}

extension StepVerifier where Failure: Equatable {
    /// Expects that the stream has failed with this error.
    public func expectFailure(
        _ failure: Failure, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectFailure("\(failure)", { $0 == failure }), file, line)
    }
}
