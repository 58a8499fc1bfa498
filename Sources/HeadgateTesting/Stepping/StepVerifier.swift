import HeadgateCore

/// Tests a publisher step by step: expects values, requests more, advances time, expects nothing, cancels.
///
/// Steps are written in the order in which they should happen, and run by `verify(fail:)`. It fails on anything
/// unexpected, on values that no step expected, on every breach of the contract, on pending timers, and on a subscriber
/// or a watched object that is retained after the stream is over.
///
/// Without a scheduler, a step waits for an event that has not arrived yet, so streams that deliver on other threads
/// need nothing more; a step that has what it expects does not wait. Only `expectNothing()` cannot be sure of such a
/// stream, and fails: `expectNothing(for:)` says how long nothing may arrive.
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
        case expectCount(Int)
        case skip((Output) -> Bool)
        case expectNothing
        case expectNothingFor(Int)
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
    private let timeout: Int
    private var steps: [Step] = []
    private var watched: [Watched] = []

    /// Creates a verifier without steps.
    ///
    /// - Parameters:
    ///   - publisher: The publisher under test. It is subscribed to when the steps run.
    ///   - demand: The demand requested on receiving the subscription.
    ///   - scheduler: The scheduler that the publisher uses. With one, steps don't wait: its clock stands still.
    ///   - timeout: The maximum number of milliseconds that a step waits for an event.
    public init(
        _ publisher: some Publisher<Output, Failure>, demand: Subscribers.Demand = .none,
        scheduler: TestScheduler? = nil, timeout: Int = 2000
    ) {
        self.publisher = AnyPublisher(hiding: publisher)
        self.demand = demand
        self.scheduler = scheduler
        self.timeout = scheduler == nil ? timeout : 0
    }

    // Steps consume the verifier and return it, so that a chain of them leaves no copies that would retain the
    // publisher.
    private consuming func adding(_ action: Action, _ file: StaticString, _ line: UInt) -> StepVerifier {
        steps.append(Step(action: action, file: file, line: line))
        return self
    }

    /// Runs the steps, and fails on anything unexpected, left over or retained.
    ///
    /// - Parameters:
    ///   - file: The file to report for failures after the last step.
    ///   - line: The line to report for failures after the last step.
    ///   - fail: Records one failure.
    public consuming func verify(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        let watched = watched
        guard let (subscriber, timeLine, mayBeLate) = carryOut(file: file, line: line, fail: fail) else { return }
        // A thread that has delivered the last event may be about to return.
        let timeout = mayBeLate ? timeout : 0
        if !waitUntil(timeout: timeout, { !subscriber.isKept }) {
            fail(
                "\(Breach(.releasesReferences, "the subscriber is retained after the stream is over"))\n\(timeLine)",
                file, line)
        }
        // Releases what the publisher and the steps hold.
        _ = consume self
        for object in watched where !waitUntil(timeout: timeout, { !object.isKept }) {
            fail("\(object.name) is retained after the stream is over\n\(timeLine)", file, line)
        }
    }

    /// - Returns: The subscriber, which the verifier has released, its time-line, and whether events have arrived on
    ///   other threads; `nil` if the stream did not reach its end or `cancel()`.
    @inline(never) private borrowing func carryOut(
        file: StaticString, line: UInt, fail: (String, StaticString, UInt) -> Void
    ) -> (subscriber: Watched, timeLine: TimeLine, mayBeLate: Bool)? {
        let arrivals = Arrivals()
        let subscriber = TestSubscriber<Output, Failure>(
            DemandScript(atSubscription: demand), clock: scheduler, onValue: { _, _ in arrivals.note() },
            onCompletion: { _, _ in arrivals.note() })
        publisher.subscribe(subscriber)
        var run = StepRun(subscriber: subscriber, scheduler: scheduler, timeout: timeout, arrivals: arrivals)
        for (index, step) in steps.enumerated() {
            guard let trouble = run.carryOut(step.action) else { continue }
            // After the first failure the following steps would fail as well.
            subscriber.cancel()
            fail("step \(index + 1): \(trouble)\n\(subscriber.timeLine())", step.file, step.line)
            return nil
        }
        let timeLine = subscriber.timeLine()
        for trouble in run.findLeftovers() { fail("\(trouble)\n\(timeLine)", file, line) }
        subscriber.cancel()
        return run.isOver ? (Watched(subscriber, name: "the subscriber"), timeLine, arrivals.wereElsewhere) : nil
    }
}

/// An object that should have been released when the stream is over.
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
    /// Requests a number of values.
    public consuming func request(_ count: Int, file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.max(count)), file, line)
    }

    /// Requests unlimited values.
    public consuming func requestEverything(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.request(.unlimited), file, line)
    }

    /// Expects these values next.
    public consuming func expect(
        _ values: Output..., file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expect(values), file, line)
    }

    /// Expects the next value to satisfy a closure.
    public consuming func expect(
        matching description: String, file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.expectMatching(description, isExpected), file, line)
    }

    /// Expects this many values next, whatever they are.
    public consuming func expect(
        count: Int, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectCount(count), file, line)
    }

    /// Skips the values that satisfy a closure, however many, up to the next one that doesn't, or to the completion.
    ///
    /// ```swift
    /// StepVerifier((1...9).publisher, demand: .unlimited)
    ///     .skip { $0 < 8 }
    ///     .expect(8, 9)
    ///     .expectFinish()
    ///     .verify { XCTFail($0, file: $1, line: $2) }
    /// ```
    public consuming func skip(
        file: StaticString = #filePath, line: UInt = #line, while isSkipped: @escaping (Output) -> Bool
    ) -> StepVerifier {
        adding(.skip(isSkipped), file, line)
    }

    /// Expects that nothing arrives for a time.
    ///
    /// - Parameter milliseconds: How long to wait; real time passes.
    public consuming func expectNothing(
        for milliseconds: Int, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.expectNothingFor(milliseconds), file, line)
    }

    /// Expects that everything received so far was expected.
    ///
    /// For a stream that delivers on other threads it fails, because it would pass if the thread were slow.
    public consuming func expectNothing(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectNothing, file, line)
    }

    /// Expects that the stream has finished.
    public consuming func expectFinish(file: StaticString = #filePath, line: UInt = #line) -> StepVerifier {
        adding(.expectFinish, file, line)
    }

    /// Expects that the stream has failed with an error that satisfies a closure.
    public consuming func expectFailure(
        matching description: String = "an error", file: StaticString = #filePath, line: UInt = #line,
        where isExpected: @escaping (Failure) -> Bool = { _ in true }
    ) -> StepVerifier {
        adding(.expectFailure(description, isExpected), file, line)
    }

    /// Advances the scheduler's clock; does nothing without a scheduler.
    public consuming func advance(
        by stride: TestTime.Stride, file: StaticString = #filePath, line: UInt = #line
    ) -> StepVerifier {
        adding(.advance(stride), file, line)
    }

    /// Runs other code, such as sending into a subject.
    public consuming func perform(
        file: StaticString = #filePath, line: UInt = #line, _ action: @escaping () -> Void
    ) -> StepVerifier {
        adding(.perform(action), file, line)
    }

    /// Sends values through a test publisher, and fails on one without demand.
    public consuming func send<Value, SourceFailure: Error>(
        _ values: Value..., through source: TestPublisher<Value, SourceFailure>, file: StaticString = #filePath,
        line: UInt = #line
    ) -> StepVerifier {
        let send = { values.first { !source.send($0) }.map { "no demand for \($0)" } }
        return adding(.send(send), file, line)
    }

    /// Expects an object to be released after the stream is over and the verifier has released the publisher and its
    /// steps.
    ///
    /// An object that the test itself retains, directly or by the verifier, is not released; so create it in a function
    /// that returns the steps.
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
    /// No values may arrive after it.
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
