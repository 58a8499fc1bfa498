import HeadgateCore

/// Follows a publisher step by step: expects values, asks for more, lets time pass, expects nothing, cancels.
///
/// Steps are written in the order in which they should happen, and carried out by `verify(fail:)`, which fails on
/// whatever was not expected, on what was left over, on every breach of the contract, on timers left behind, and on a
/// subscriber or a watched object that is kept when the stream is over.
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
        case send(() -> String?)
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
    private var watched: [Watched] = []

    /// Makes a verifier that has no steps yet.
    ///
    /// - Parameters:
    ///   - publisher: What is followed. It is subscribed when the steps are carried out.
    ///   - demand: What is asked for on receiving the subscription.
    ///   - scheduler: The scheduler on which the publisher counts time.
    public init<P: Publisher>(_ publisher: P, demand: Subscribers.Demand = .none, scheduler: TestScheduler? = nil)
    where P.Output == Output, P.Failure == Failure {
        self.publisher = AnyPublisher(hiding: publisher)
        self.demand = demand
        self.scheduler = scheduler
    }

    // Steps take the verifier over and hand it on, so that a chain of them leaves no copies behind that would keep the
    // publisher.
    private consuming func adding(_ action: Action, _ file: StaticString, _ line: UInt) -> StepVerifier {
        steps.append(Step(action: action, file: file, line: line))
        return self
    }

    /// Carries the steps out, and fails on what was not expected, on what is left over and on what is kept.
    ///
    /// - Parameters:
    ///   - file: The file to blame for what is left over.
    ///   - line: The line to blame for what is left over.
    ///   - fail: Records one failure.
    public consuming func verify(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        let watched = watched
        guard let (subscriber, timeLine) = carryOut(file: file, line: line, fail: fail) else { return }
        if subscriber.isKept {
            fail("\(Breach(.letsGo, "the subscriber is kept when the stream is over"))\n\(timeLine)", file, line)
        }
        // What the publisher and the steps hold may go now.
        _ = consume self
        for object in watched where object.isKept {
            fail("\(object.name) is kept when the stream is over\n\(timeLine)", file, line)
        }
    }

    /// - Returns: The subscriber, of which the verifier has let go, and what it saw; `nil` if the stream did not get to its
    ///   end or to `cancel()`.
    @inline(never) private borrowing func carryOut(
        file: StaticString, line: UInt, fail: (String, StaticString, UInt) -> Void
    ) -> (subscriber: Watched, timeLine: TimeLine)? {
        let subscriber = TestSubscriber<Output, Failure>(
            DemandScript(atSubscription: demand), clock: scheduler)
        publisher.subscribe(subscriber)
        var run = StepRun(subscriber: subscriber, scheduler: scheduler)
        for (index, step) in steps.enumerated() {
            guard let trouble = run.carryOut(step.action) else { continue }
            // What comes behind the first surprise would surprise as well.
            subscriber.cancel()
            fail("step \(index + 1): \(trouble)\n\(subscriber.timeLine())", step.file, step.line)
            return nil
        }
        let timeLine = subscriber.timeLine()
        for trouble in run.findLeftovers() { fail("\(trouble)\n\(timeLine)", file, line) }
        subscriber.cancel()
        return run.isOver ? (Watched(subscriber, name: "the subscriber"), timeLine) : nil
    }
}

/// An object that should be gone when the stream is over.
private struct Watched {
    let name: String
    private weak var object: AnyObject?

    init(_ object: AnyObject, name: String) {
        self.name = name
        self.object = object
    }

    var isKept: Bool { object != nil }
}

extension StepVerifier {
    /// Asks for so many values.
    public consuming func request(_ count: Int, file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.max(count)), file, line)
    }

    /// Asks for everything.
    public consuming func requestEverything(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.unlimited), file, line)
    }

    /// Expects these values to be the next ones.
    public consuming func expect(
        _ values: Output..., file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expect(values), file, line)
    }

    /// Expects the next value to be one for which a closure answers true.
    public consuming func expect(
        matching description: String, file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.expectMatching(description, isExpected), file, line)
    }

    /// Expects that nothing has come that was not mentioned so far.
    public consuming func expectNothing(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectNothing, file, line)
    }

    /// Expects that the stream has finished.
    public consuming func expectFinish(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectFinish, file, line)
    }

    /// Expects that the stream has failed with an error for which a closure answers true.
    public consuming func expectFailure(
        matching description: String = "an error", file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Failure) -> Bool = { _ in true }
    ) -> StepVerifier {
        adding(.expectFailure(description, isExpected), file, line)
    }

    /// Moves the scheduler's clock on; without a scheduler, nothing happens.
    public consuming func advance(
        by stride: TestTime.Stride, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.advance(stride), file, line)
    }

    /// Does something else, such as sending into a subject.
    public consuming func perform(
        file: StaticString = #filePath, line: UInt = #line, _ action: @escaping () -> Void
    ) -> StepVerifier {
        adding(.perform(action), file, line)
    }

    /// Sends values through a publisher that is driven by hand, and fails on one that nobody takes.
    public consuming func send<Value, SourceFailure: Error>(
        _ values: Value..., through source: TestPublisher<Value, SourceFailure>, file: StaticString = #filePath,
        line: UInt = #line
    ) -> StepVerifier {
        let send = { values.first { !source.send($0) }.map { "nobody took \($0)" } }
        return adding(.send(send), file, line)
    }

    /// Expects an object to be gone when the stream is over and the verifier has let go of the publisher and of its steps.
    ///
    /// What the test keeps itself, the verifier included, is not gone; so the object is best made in a function that
    /// returns the steps.
    ///
    /// ```swift
    /// final class Model { @Published var level = 1 }
    /// func steps() -> StepVerifier<Int, Never> {
    ///     let model = Model()
    ///     return StepVerifier(model.$level).watching(model, as: "the model").request(1).expect(1).cancel()
    /// }
    /// steps().verify { XCTFail($0, file: $1, line: $2) }
    /// ```
    public consuming func watching(_ object: AnyObject, as name: String) -> StepVerifier {
        watched.append(Watched(object, name: name))
        return self
    }

    /// Cancels.
    ///
    /// Nothing may come behind it.
    public consuming func cancel(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.cancel, file, line)
    }
}

extension StepVerifier where Failure: Equatable {
    /// Expects that the stream has failed with this error.
    public consuming func expectFailure(
        _ failure: Failure, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectFailure("\(failure)", { $0 == failure }), file, line)
    }
}
