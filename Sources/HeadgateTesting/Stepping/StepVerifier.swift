import Dispatch
import HeadgateCore

/// Tests a publisher step by step: expects values, requests more, advances time, expects nothing, cancels.
///
/// Steps are written in the order in which they should happen, and run by `verify(fail:)`. It fails on anything
/// unexpected, on values that no step expected, on every breach of the contract, on pending timers, and on a subscriber
/// or a watched object that is retained after the stream has completed.
///
/// Without a scheduler, a step waits for an event that has not arrived yet, so streams that deliver on other threads
/// need nothing more; a step that has what it expects does not wait. Only `expectNothing()` cannot be sure of such a
/// stream, and fails: `expectNothing(for:)` says how long nothing may arrive. In an asynchronous function,
/// `await steps.verify { … }` suspends where a step waits.
///
/// ```swift
/// import Headgate
/// import HeadgateTesting
///
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
        case expect([Expectation])
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

    /// A value in words, and whether one is it.
    typealias Expectation = (description: String, isExpected: (Output) -> Bool)

    struct Step {
        let action: Action
        let place: TestPlace
    }

    private let publisher: AnyPublisher<Output, Failure>
    private let scheduler: TestScheduler?
    private let demand: Subscribers.Demand
    private let timeout: Int
    private var steps: [Step] = []
    var watched: [Watched] = []

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
        self.publisher = AnyPublisher(publisher)
        self.demand = demand
        self.scheduler = scheduler
        self.timeout = scheduler == nil ? timeout : 0
    }

    // Steps consume the verifier and return it, so that a chain of them leaves no copies that would retain the
    // publisher.
    consuming func adding(_ action: Action, _ place: TestPlace) -> StepVerifier {
        steps.append(Step(action: action, place: place))
        return self
    }

    /// Runs the steps, and fails on anything unexpected, left over or retained.
    ///
    /// A step that waits blocks the thread; in an asynchronous function, the other form suspends instead.
    ///
    /// - Parameters:
    ///   - file: The file to report for failures after the last step.
    ///   - line: The line to report for failures after the last step.
    ///   - fail: Records one failure.
    public consuming func verify(
        file: StaticString = #filePath, line: UInt = #line, fail: (String, StaticString, UInt) -> Void
    ) {
        verify(file: file, line: line) { $0.record(fail) }
    }

    /// Runs the steps, and fails on anything unexpected, left over or retained, with the column and the module, too.
    ///
    /// A step that waits blocks the thread; in an asynchronous function, the other form suspends instead.
    ///
    /// - Parameters:
    ///   - fileID: The module and the file to report for failures after the last step.
    ///   - file: The file to report for failures after the last step.
    ///   - line: The line to report for failures after the last step.
    ///   - column: The column to report for failures after the last step.
    ///   - fail: Records one failure: see ``ExpectationFailure``.
    public consuming func verify(
        fileID: StaticString = #fileID, file: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        fail: (ExpectationFailure) -> Void
    ) {
        let place = TestPlace(fileID, file, line, column)
        let watched = watched
        guard let rest = carryOut(place, fail: fail) else { return }
        // A thread that has delivered the last event may be about to return.
        let timeout = rest.mayBeLate ? timeout : 0
        rest.report(!waitUntil(timeout: timeout, { !rest.subscriber.isKept }), rest.subscriber, place, fail)
        // Releases what the publisher and the steps hold.
        _ = consume self
        for object in watched {
            rest.report(!waitUntil(timeout: timeout, { !object.isKept }), object, place, fail)
        }
    }

    /// Runs the steps, and fails on anything unexpected, left over or retained; suspends where a step waits.
    ///
    /// The stream may deliver on any thread, in any task, and on the caller's own actor. A stream that is awaited may be
    /// about to deliver, so `expectNothing()` fails without a scheduler: `expectNothing(for:)` says how long nothing may
    /// arrive.
    ///
    /// ```swift
    /// import Dispatch
    /// import Headgate
    /// import HeadgateTesting
    ///
    /// func test() async {
    ///     await StepVerifier((1...9).publisher.receive(on: DispatchQueue.main), demand: .unlimited)
    ///         .expect(1, 2)
    ///         .expect(count: 3)
    ///         .skip { $0 < 9 }
    ///         .expect(9)
    ///         .expectFinish()
    ///         .verify { XCTFail($0, file: $1, line: $2) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the steps run.
    ///   - file: The file to report for failures after the last step.
    ///   - line: The line to report for failures after the last step.
    ///   - fail: Records one failure.
    public consuming func verify(
        isolation: isolated (any Actor)? = #isolation, file: StaticString = #filePath, line: UInt = #line,
        fail: (String, StaticString, UInt) -> Void
    ) async {
        await verify(isolation: isolation, file: file, line: line) { $0.record(fail) }
    }

    /// Runs the steps, and fails on anything unexpected, left over or retained, with the column and the module, too;
    /// suspends where a step waits.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which the steps run.
    ///   - fileID: The module and the file to report for failures after the last step.
    ///   - file: The file to report for failures after the last step.
    ///   - line: The line to report for failures after the last step.
    ///   - column: The column to report for failures after the last step.
    ///   - fail: Records one failure: see ``ExpectationFailure``.
    public consuming func verify(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        file: StaticString = #filePath, line: UInt = #line, column: UInt = #column, fail: (ExpectationFailure) -> Void
    ) async {
        let place = TestPlace(fileID, file, line, column)
        let watched = watched
        guard let rest = await carryOut(isolation: isolation, place, fail: fail) else { return }
        let timeout = timeout
        rest.report(await suspend(timeout) { rest.subscriber.isKept }, rest.subscriber, place, fail)
        _ = consume self
        for object in watched {
            rest.report(await suspend(timeout) { object.isKept }, object, place, fail)
        }
    }

    /// - Returns: What the verifier has released; `nil` if the stream did not reach its end or `cancel()`.
    @inline(never) private borrowing func carryOut(
        _ place: TestPlace, fail: (ExpectationFailure) -> Void
    ) -> StepRemains? {
        var run = subscribe(areAwaited: false)
        var progress = run.goOn(with: steps)
        while case .pending = progress {
            waitUntil {
                progress = run.goOn(with: steps)
                if case .pending = progress { return false }
                return true
            }
        }
        return conclude(&run, progress, place, fail)
    }

    @inline(never) private borrowing func carryOut(
        isolation: isolated (any Actor)?, _ place: TestPlace, fail: (ExpectationFailure) -> Void
    ) async -> StepRemains? {
        var run = subscribe(areAwaited: true)
        var progress = run.goOn(with: steps)
        while case .pending(let trouble) = progress {
            if Task.isCancelled {
                progress = .finished("\(trouble ?? "nothing arrived") when the task was cancelled")
            } else {
                await suspend()
                progress = run.goOn(with: steps)
            }
        }
        return conclude(&run, progress, place, fail)
    }

    private borrowing func subscribe(areAwaited: Bool) -> StepRun<Output, Failure> {
        let arrivals = Arrivals(areAwaited: areAwaited)
        let subscriber = TestSubscriber<Output, Failure>(
            DemandScript(atSubscription: demand), clock: scheduler, onValue: { _, _ in arrivals.note() },
            onCompletion: { _, _ in arrivals.note() })
        let publisher = publisher
        arrivals.duringAction { publisher.subscribe(subscriber) }
        return StepRun(subscriber: subscriber, scheduler: scheduler, timeout: timeout, arrivals: arrivals)
    }

    private borrowing func conclude(
        _ run: inout StepRun<Output, Failure>, _ progress: StepProgress, _ place: TestPlace,
        _ fail: (ExpectationFailure) -> Void
    ) -> StepRemains? {
        let subscriber = run.subscriber
        // The steps after one that has failed would fail as well.
        if case .finished(let trouble?) = progress {
            subscriber.cancel()
            let message = "step \(run.number): \(trouble)\n\(subscriber.timeLine())"
            fail(ExpectationFailure(message, at: steps[run.number - 1].place))
            return nil
        }
        let timeLine = subscriber.timeLine()
        for trouble in run.findLeftovers() { fail(ExpectationFailure("\(trouble)\n\(timeLine)", at: place)) }
        subscriber.cancel()
        if !run.isOver { return nil }
        return StepRemains(
            subscriber: Watched(subscriber, name: "the subscriber"), timeLine: timeLine, mayBeLate: run.mayBeLate)
    }
}

/// What a verifier leaves when the stream has completed.
private struct StepRemains {
    let subscriber: Watched
    let timeLine: TimeLine

    /// Whether another thread may be about to return.
    let mayBeLate: Bool

    /// Reports that an object is retained.
    func report(
        _ isKept: Bool, _ object: Watched, _ place: TestPlace, _ fail: (ExpectationFailure) -> Void
    ) {
        if !isKept { return }
        let finding = "\(object.name) is retained though the stream has completed or was cancelled"
        let isSubscriber = object.name == subscriber.name
        let message = isSubscriber ? "\(Breach(.releasesReferences, finding))" : finding
        fail(ExpectationFailure("\(message)\n\(timeLine)", at: place))
    }
}

/// An object that should have been released when the stream has completed.
struct Watched {
    let name: String
    private weak var object: AnyObject?

    init(_ object: AnyObject, name: String) {
        self.name = name
        self.object = object
    }

    var isKept: Bool { object != nil }
}

/// Lets other tasks and threads run for a moment.
private func suspend(isolation: isolated (any Actor)? = #isolation) async {
    // It returns at once in a task that is cancelled.
    try? await Task.sleep(nanoseconds: 200_000)
}

/// Suspends while a condition holds, for a number of milliseconds at most.
///
/// - Returns: Whether it still holds.
private func suspend(
    _ timeout: Int, isolation: isolated (any Actor)? = #isolation, while condition: () -> Bool
) async -> Bool {
    let deadline = DispatchTime.now() + .milliseconds(timeout)
    while condition() {
        if DispatchTime.now() >= deadline || Task.isCancelled { return condition() }
        await suspend()
    }
    return false
}
