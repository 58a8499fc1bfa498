import Dispatch
import Foundation
import Headgate
import TestSupport
import XCTest

/// Declarations that the compatibility page calls the same, used as a client uses them.
///
/// Labels, types, generic parameters and constraints are spelled out, so that what is missing does not compile.
final class SameDeclarationsTests: XCTestCase {
    private typealias Numbers = Publishers.Sequence<[Int], Never>

    private let numbers = Numbers(sequence: [1, 2])

    func test_protocolsWithTheirPrimaryTypes() {
        let publisher: any Publisher<Int, Never> = Just(1)
        let connectable: any ConnectablePublisher<Int, Never> = numbers.makeConnectable()
        let subscriber: any Subscriber<Int, Never> = AnySubscriber<Int, Never>()
        let subject: any Subject<Int, Never> = PassthroughSubject<Int, Never>()
        let scheduler: any Scheduler<ImmediateScheduler.SchedulerTimeType> = ImmediateScheduler.shared
        let all: [Any] = [publisher, connectable, subscriber, subject, scheduler]
        XCTAssertEqual(all.count, 5)
        let signal = PassthroughSubject<Void, Never>()
        var count = 0
        let watch = signal.sink { count += 1 }
        signal.send()
        XCTAssertEqual(AnySubscriber<Void, Never>().receive(), .none)
        XCTAssertEqual(count, 1)
        var set: Set<AnyCancellable> = []
        var array: [AnyCancellable] = []
        watch.store(in: &set)
        AnyCancellable {}.store(in: &array)
        Subscriptions.empty.store(in: &set)
        Subscriptions.empty.store(in: &array)
        XCTAssertEqual([set.count, array.count], [2, 2])
    }

    func test_schedulersInTheirShorterForms() {
        func use<S: Scheduler>(_ scheduler: S) -> [any Cancellable] {
            scheduler.schedule {}
            scheduler.schedule(after: scheduler.now) {}
            scheduler.schedule(after: scheduler.now, tolerance: .seconds(1)) {}
            return [
                scheduler.schedule(after: scheduler.now, interval: .milliseconds(1)) {},
                scheduler.schedule(after: scheduler.now, interval: .microseconds(1), tolerance: .nanoseconds(1)) {},
            ]
        }
        let work = use(ImmediateScheduler.shared) + use(DispatchQueue(label: "declarations"))
        work.forEach { $0.cancel() }
        XCTAssertEqual(work.count, 4)
        let options = DispatchQueue.SchedulerOptions(qos: .utility, flags: [.barrier], group: nil)
        XCTAssertEqual(options.qos, .utility)
        XCTAssertEqual(ImmediateScheduler.SchedulerTimeType.Stride(exactly: 3), 3)
        XCTAssertEqual(DispatchQueue.SchedulerTimeType.Stride(.milliseconds(5)), .milliseconds(5))
    }

    func test_erasersAndIdentity() {
        let erased = AnyPublisher(Just(1))
        XCTAssertEqual(erased.description, "AnyPublisher")
        XCTAssertEqual(erased.playgroundDescription as? String, "AnyPublisher")
        let subscriber = AnySubscriber<Int, Never>(receiveSubscription: nil, receiveValue: nil, receiveCompletion: nil)
        XCTAssertEqual(subscriber.description, "Anonymous AnySubscriber")
        XCTAssertEqual(AnySubscriber(PassthroughSubject<Int, Never>()).description, "Subject")
        XCTAssertEqual(
            AnySubscriber(Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in }))
                .description, "Sink")
        XCTAssertNotEqual(CombineIdentifier(), CombineIdentifier())
        XCTAssertEqual(CombineIdentifier(self), CombineIdentifier(self))
        XCTAssertTrue(CombineIdentifier().description.hasPrefix("0x"))
    }

    func test_sources() throws {
        XCTAssertEqual(Just(1).output, 1)
        XCTAssertEqual(
            Empty(completeImmediately: false, outputType: Int.self, failureType: Never.self).completeImmediately, false)
        XCTAssertEqual(Fail(outputType: Int.self, failure: TestFailure.first).error, .first)
        XCTAssertEqual(Deferred(createPublisher: { Just(1) }).createPublisher(), Just(1))
        XCTAssertEqual(Optional.Publisher(1).output, 1)
        XCTAssertEqual(try Result<Int, TestFailure>.Publisher(1).result.get(), 1)
        XCTAssertThrowsError(try Result<Int, TestFailure>.Publisher(.first).result.get())
        let record = Record<Int, Never> { $0.receive(1) }
        XCTAssertEqual(record.recording.output, [1])
        XCTAssertEqual(Record<Int, Never>(output: [1], completion: .finished).recording.completion, .finished)
    }

    func test_subscribers() {
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        sink.receiveValue(1)
        sink.receiveCompletion(.finished)
        XCTAssertEqual(sink.playgroundDescription as? String, "Sink")
        final class Target { var value = 0 }
        let assign = Subscribers.Assign(object: Target(), keyPath: \.value)
        XCTAssertNotNil(assign.object)
        XCTAssertEqual(assign.keyPath, \Target.value)
        assign.cancel()
        XCTAssertNil(assign.object)
        typealias Demand = Subscribers.Demand
        var demand = Demand.max(2)
        demand += 1
        demand -= .max(1)
        demand *= 3
        XCTAssertEqual(demand, .max(6))
        XCTAssertTrue(demand > 5 && 5 < demand && demand >= 6 && 6 <= demand && demand != 7 && 7 != demand)
        XCTAssertTrue(demand < 7 && 7 > demand && demand <= 6 && 6 >= demand && demand < .unlimited)
        XCTAssertEqual(Demand.max(.max) * 2, .unlimited)
        XCTAssertEqual(Subscribers.Completion<TestFailure>.failure(.first), .failure(.first))
    }

    func test_typesOfPublishersAsClientsDeclareThem() {
        let map: Publishers.Map<Numbers, String> = Publishers.Map(upstream: numbers) { "\($0)" }
        let translate: (Never) -> TestFailure = { $0 }
        let mapError = Publishers.MapError(upstream: numbers, transform: translate)
        let mapErrorUnlabelled = Publishers.MapError(upstream: numbers, translate)
        let scan = Publishers.Scan(upstream: numbers, initialResult: 0, nextPartialResult: +)
        let filter = Publishers.Filter(upstream: numbers, isIncluded: { $0 > 1 })
        let reduce = Publishers.Reduce(upstream: numbers, initial: 0, nextPartialResult: +)
        let flatMap: Publishers.FlatMap<Just<Int>, Numbers> = Publishers.FlatMap(
            upstream: numbers, maxPublishers: .max(1)
        ) { Just($0) }
        let merge: Publishers.Merge3<Numbers, Just<Int>, Just<Int>> = Publishers.Merge(numbers, Just(1)).merge(
            with: Just(2))
        let zip: Publishers.Zip<Numbers, Just<Int>> = Publishers.Zip(numbers, Just(1))
        let latest = Publishers.CombineLatest(numbers, Just(1))
        let concatenation = Publishers.Concatenate(prefix: numbers, suffix: Just(1))
        let buffer = Publishers.Buffer(upstream: numbers, size: 1, prefetch: .byRequest, whenFull: .dropOldest)
        let output = Publishers.Output(upstream: numbers, range: 0..<1)
        let throttle = Publishers.Throttle(
            upstream: numbers, interval: 1, scheduler: ImmediateScheduler.shared, latest: true)
        let debounce = Publishers.Debounce(
            upstream: numbers, dueTime: 1, scheduler: ImmediateScheduler.shared, options: nil)
        let timeout = Publishers.Timeout(
            upstream: numbers, interval: 1, scheduler: ImmediateScheduler.shared, options: nil, customError: nil)
        let retry = Publishers.Retry(upstream: numbers, retries: 1)
        let share: Publishers.Share<Numbers> = Publishers.Share(upstream: numbers)
        let multicast = Publishers.Multicast(upstream: numbers, createSubject: { PassthroughSubject<Int, Never>() })
        let print = Publishers.Print(upstream: numbers, prefix: "p", to: nil)
        let collect: Publishers.CollectByTime<Numbers, ImmediateScheduler> = Publishers.CollectByTime(
            upstream: numbers, strategy: .byTimeOrCount(.shared, 1, 2), options: nil)
        let breakpoint = Publishers.Breakpoint(upstream: numbers)
        let events = Publishers.HandleEvents(upstream: numbers, receiveRequest: nil)
        let autoconnect = Publishers.Autoconnect(upstream: multicast)
        let all: [Any] = [
            map, mapError, mapErrorUnlabelled, scan, filter, reduce, flatMap, merge, zip, latest, concatenation, buffer,
            output, throttle, debounce, timeout, retry, share, multicast, print, collect, breakpoint, events,
            autoconnect,
        ]
        XCTAssertEqual(all.count, 24)
    }

    func test_typesOfOperatorsAsTheyAreReturned() {
        let pair: Publishers.MapKeyPath2<Just<String>, Int, Bool> = Just("a").map(\.count, \.isEmpty)
        let triple: Publishers.MapKeyPath3<Just<String>, Int, Bool, String> = Just("a").map(\.count, \.isEmpty, \.self)
        let prefix: Publishers.PrefixUntilOutput<Numbers, Just<Int>> = numbers.prefix(untilOutputFrom: Just(1))
        let first: Publishers.FirstWhere<Just<Int>> = Just(1).first(where: { $0 > 1 })
        let certain: Publishers.AssertNoFailure<Numbers> = numbers.assertNoFailure("prefix")
        XCTAssertEqual(pair.keyPath0, triple.keyPath0)
        XCTAssertEqual(triple.keyPath2, \String.self)
        XCTAssertEqual(prefix.other, Just(1))
        XCTAssertFalse(first.predicate(1))
        XCTAssertEqual(certain.prefix, "prefix")
    }

    func test_propertyWrapper() {
        struct Reading: CustomCombineIdentifierConvertible { let combineIdentifier = CombineIdentifier() }
        XCTAssertNotEqual(Reading().combineIdentifier, Reading().combineIdentifier)
        final class Model: ObservableObject {
            @Published var level: Int
            @Published(wrappedValue: 1) var other
            init() { _level = Published(initialValue: 2) }
            var publishers: [Published<Int>.Publisher] { [_level.projectedValue, _other.projectedValue] }
        }
        var values: [Int] = []
        for publisher in Model().publishers { publisher.sink { values.append($0) }.cancel() }
        XCTAssertEqual(values, [2, 1])
    }

    func test_operatorsThatAPublisherHasForItself() {
        let filter: Publishers.Filter<Numbers> = numbers.filter { _ in true }
        let filters: Publishers.Filter<Numbers> = filter.filter { _ in true }
        let tryFilter: Publishers.TryFilter<Numbers> = filters.tryFilter { _ in true }.filter { _ in true }
        let compact: Publishers.CompactMap<Numbers, Int> = numbers.compactMap { $0 as Int? }.compactMap { $0 as Int? }
            .map { $0 }
        let maps: Publishers.Map<Numbers, Int> = numbers.map { $0 }.map { $0 }
        let tryMap: Publishers.TryMap<Numbers, Int> = numbers.map { $0 }.tryMap { $0 }.map { $0 }.tryMap { $0 }
        let merges: Publishers.MergeMany<Just<Int>> = Publishers.MergeMany([Just(1)]).merge(with: Just(2))
        let sequence: Publishers.Sequence<[Int], Never> = numbers.append(3).prepend(0).append([4]).prepend(numbers)
        let first: Optional<Int>.Publisher = numbers.first()
        let count: Just<Int> = numbers.count()
        let just: Just<Bool> = Just(1).contains(1)
        let result: Result<Int, any Error>.Publisher = Just(1).tryMap { $0 }
        XCTAssertEqual([sequence.sequence.count, merges.publishers.count, count.output, first.output], [7, 2, 2, 1])
        XCTAssertEqual(just.output, true)
        let all: [Any] = [tryFilter, compact, maps, tryMap, result]
        XCTAssertEqual(all.count, 5)
    }
}
