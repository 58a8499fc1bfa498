import Dispatch
import Headgate
import HeadgateCore
import HeadgateFlow
import HeadgateTesting
import Synchronization
import TestSupport
import XCTest

private func requireSendable(_: (some Sendable).Type) {}

/// Subjects in the three places where a program that is checked for data races may need one.
private let announcements = PassthroughSubject<Int, Never>()

private final class Settings: Sendable {
    let volume = CurrentValueSubject<Int, Never>(3)
    let changes = PassthroughSubject<String, TestFailure>()
}

private actor Thermometer {
    nonisolated let readings = PassthroughSubject<Int, Never>()

    func measure(_ degrees: Int) { readings.send(degrees) }
}

/// The sum of what several threads add.
private final class Sum: Sendable {
    private let sum = Atomic(0)

    var value: Int { sum.load(ordering: .relaxed) }

    func add(_ number: Int) { sum.wrappingAdd(number, ordering: .relaxed) }
}

/// What may cross from one isolation domain to another: this file does not compile where it may not.
final class SendableTests: XCTestCase {
    func test_subjectsCrossWhereTheirValuesDo() {
        requireSendable(PassthroughSubject<Int, Never>.self)
        requireSendable(PassthroughSubject<Int, any Error>.self)
        requireSendable(CurrentValueSubject<[String], TestFailure>.self)
        requireSendable(ObservableObjectPublisher.self)
        requireSendable(Published<Int>.self)
        requireSendable(Published<Int>.Publisher.self)
        requireSendable(Future<Int, any Error>.self)
        requireSendable(HoldValue<Int>.self)
        requireSendable(HoldValue<Int>.Publisher.self)
        requireSendable(StreamChannel<Int, any Error>.self)
        requireSendable(Emitter<[String], Never>.self)
        requireSendable(Publishers.Create<Int, Never>.Subscriber.self)
    }

    func test_erasedSubscribersCrossWhereTheirValuesDo() {
        requireSendable(AnySubscriber<Int, any Error>.self)
    }

    func test_schedulersAndTheirTimesCross() {
        requireSendable(DispatchQueue.self)
        requireSendable(DispatchQueue.SchedulerTimeType.self)
        requireSendable(DispatchQueue.SchedulerTimeType.Stride.self)
        requireSendable(DispatchQueue.SchedulerOptions.self)
        requireSendable(ImmediateScheduler.self)
        requireSendable(TestScheduler.self)
    }

    func test_aPromiseCrosses() {
        // Kept for later, and called by another thread: no annotation is needed.
        final class Desk: Sendable {
            let promises = Guarded<[Future<Int, Never>.Promise]>([])
        }
        let desk = Desk()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        Future { promise in desk.promises.withLock { $0.append(promise) } }.subscribe(subscriber)
        DispatchQueue.global().sync { desk.promises.withLock { $0 }.forEach { $0(.success(7)) } }
        XCTAssertEqual(subscriber.values, [7])
    }

    func test_sharedPublishersCrossWhereTheirUpstreamsDo() {
        requireSendable(Publishers.Share<Just<Int>>.self)
        requireSendable(Publishers.ShareReplay<Just<Int>>.self)
        requireSendable(Publishers.MakeConnectable<Just<Int>>.self)
        requireSendable(Publishers.Autoconnect<Publishers.MakeConnectable<Just<Int>>>.self)
        requireSendable(Publishers.Multicast<Just<Int>, PassthroughSubject<Int, Never>>.self)
    }

    func test_sourcesCrossWhereTheirValuesDo() {
        requireSendable(Just<Int>.self)
        requireSendable(Always<Int>.self)
        requireSendable(Empty<Int, Never>.self)
        requireSendable(Fail<Int, TestFailure>.self)
        requireSendable(Optional<Int>.Publisher.self)
        requireSendable(Result<Int, any Error>.Publisher.self)
        requireSendable(Publishers.Sequence<[Int], Never>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.Sliding<Int, Never>>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.Enumerated<Int, Never>>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.ScanInto<Int, Never, [Int]>>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.Step<Int, Int, String, Never>>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.EndingStep<Int, Int, String, Never>>.self)
        requireSendable(Publishers.Stepped<Just<Int>, Steps.RemoveAllDuplicates<ComparedValues<Int>, Never>>.self)
        requireSendable(Publishers.Stepped<Just<Event<Int, Never>>, Steps.Dematerialize<Event<Int, Never>>>.self)
        requireSendable(Record<Int, any Error>.self)
        requireSendable(Record<Int, any Error>.Recording.self)
        requireSendable(Publishers.DispatchTimer.self)
        requireSendable(DispatchTimerConfiguration.self)
    }

    func test_demandCompletionIdentityAndCancellationCross() {
        requireSendable(Subscribers.Demand.self)
        requireSendable(Subscribers.Completion<Never>.self)
        requireSendable(Subscribers.Completion<any Error>.self)
        requireSendable(CombineIdentifier.self)
        requireSendable(AnyCancellable.self)
    }

    func test_schedulersTheirTimesAndOptionsCross() {
        requireSendable(ImmediateScheduler.self)
        requireSendable(ImmediateScheduler.SchedulerTimeType.self)
        requireSendable(ImmediateScheduler.SchedulerTimeType.Stride.self)
        requireSendable(DispatchQueue.self)
        requireSendable(DispatchQueue.SchedulerTimeType.self)
        requireSendable(DispatchQueue.SchedulerTimeType.Stride.self)
        requireSendable(DispatchQueue.SchedulerOptions.self)
    }

    func test_strategiesAndAsynchronousSequencesCross() {
        requireSendable(Publishers.AsyncBuffering.self)
        requireSendable(Publishers.PrefetchStrategy.self)
        requireSendable(Publishers.TimeGroupingStrategy<DispatchQueue>.self)
        requireSendable(AsyncPublisher<Just<Int>>.self)
        requireSendable(AsyncThrowingPublisher<Fail<Int, TestFailure>>.self)
    }

    func test_policiesAndReportsCross() {
        requireSendable(RetryPolicy.self)
        requireSendable(RetryPolicy.Backoff.self)
        requireSendable(RetryPolicy.Jitter.self)
        requireSendable(RetrySchedule.self)
        requireSendable(CircuitBreakerPolicy.self)
        requireSendable(CircuitState.self)
        requireSendable(StreamTimeout.self)
        requireSendable(StreamStall.self)
        requireSendable(Flow.self)
        requireSendable(Flow.Snapshot.self)
        requireSendable(Flow.Limit.self)
        requireSendable(LatencyHistogram.self)
        requireSendable(CheckpointReport.Place.self)
        requireSendable(CheckpointReport.self)
        requireSendable(TapRun.self)
        requireSendable(CircuitBreaker.self)
        requireSendable(CircuitOpen.self)
        requireSendable(RetryExhausted<TestFailure>.self)
        requireSendable(RetryAttempt<TestFailure>.self)
        requireSendable(PipelineDescription.self)
        requireSendable(Publishers.UnreadWindow.self)
        requireSendable(Publishers.ExpansionOrder.self)
        requireSendable(Publishers.UsageOutcome<TestFailure>.self)
        requireSendable(PrefixWhileBehavior.self)
        requireSendable(ObjectOwnership.self)
        requireSendable(Event<Int, TestFailure>.self)
    }

    func test_subjectsAndSharedPublishersBeyondCombineCross() {
        requireSendable(ReplaySubject<Int, TestFailure>.self)
        requireSendable(PassthroughRelay<Int>.self)
        requireSendable(CurrentValueRelay<Int>.self)
        requireSendable(StreamChannel<Int, TestFailure>.self)
        requireSendable(Publishers.Broadcast<Just<Int>>.self)
        requireSendable(Publishers.AutoconnectAfter<Publishers.MakeConnectable<Just<Int>>, ImmediateScheduler>.self)
        requireSendable(Publishers.Cached<Just<Int>, ImmediateScheduler>.self)
    }

    func test_policiesSayWhatTheyAre() {
        XCTAssertEqual("\(RetryPolicy.immediate(retries: 1))", "1 retry at once")
        XCTAssertTrue("\(CircuitBreakerPolicy(failures: 3))".contains("3"))
        XCTAssertEqual(
            StreamTimeout.allCases.map(\.description),
            [
                "the first value has not come in time", "the next value has not come in time",
                "the stream has taken too long",
            ])
        XCTAssertEqual("\(Publishers.ExpansionOrder.breadthFirst) \(Publishers.UnreadWindow.hold)", "breadthFirst hold")
        XCTAssertEqual("\(Publishers.UsageOutcome<TestFailure>.cancelled)", "cancelled")
    }

    func test_aGlobalSubjectIsSentToFromSeveralTasks() async {
        let received = Sum()
        let subscription = announcements.sink { received.add($0) }
        await withTaskGroup(of: Void.self) { group in
            for number in 1...10 {
                group.addTask { announcements.send(number) }
            }
        }
        subscription.cancel()
        XCTAssertEqual(received.value, 55)
    }

    func test_aSendableClassHoldsSubjects() async {
        let settings = Settings()
        await Task.detached { settings.volume.send(7) }.value
        XCTAssertEqual(settings.volume.value, 7)
    }

    func test_anActorExposesASubject() async {
        let thermometer = Thermometer()
        let received = Sum()
        let subscription = thermometer.readings.sink { received.add($0) }
        await thermometer.measure(20)
        await thermometer.measure(1)
        subscription.cancel()
        await thermometer.measure(300)
        XCTAssertEqual(received.value, 21)
    }
}
