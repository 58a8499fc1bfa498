import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// What `print()` shows of each kind of subscription, as the compatibility page promises.
final class SameNamesTests: XCTestCase {
    private func check<P: Publisher>(_ name: String, _ publisher: P, line: UInt = #line) {
        let subscriber = TestSubscriber<P.Output, P.Failure>.checked()
        publisher.subscribe(subscriber)
        guard case .subscription(let found)? = subscriber.received.first else {
            return XCTFail("There is no subscription.", line: line)
        }
        XCTAssertEqual(found, name, line: line)
        subscriber.cancel()
    }

    private let hand = TestPublisher<Int, Never>()
    private let now = ImmediateScheduler.shared

    func test_sources() {
        check("Just", Just(1))
        check("Once", Result<Int, TestFailure>.success(1).publisher)
        check("Optional", Optional(1).publisher)
        check("Empty", Empty<Int, Never>())
        check("Empty", Int?.none.publisher)
        check("Empty", Fail<Int, TestFailure>(error: .first))
        check("Future", Future<Int, Never> { _ in })
        check("Future", Future<Int, Never> { $0(.success(1)) })
        check("Future", Future<Int, TestFailure> { $0(.failure(.first)) })
        check("[1, 2, 3]", [1, 2, 3].publisher)
        check("1...5", (1...5).publisher)
        check("[1, 2]", Record<Int, Never>(output: [1, 2], completion: .finished))
        check("PassthroughSubject", PassthroughSubject<Int, Never>())
        check("CurrentValueSubject", CurrentValueSubject<Int, Never>(1))
        check("ObservableObjectPublisher", ObservableObjectPublisher())
        final class Model { @Published var level = 0 }
        check("PublishedSubject", Model().$level)
    }

    func test_operatorsWithASubscriptionOfTheirOwn() {
        check("AllSatisfy", hand.allSatisfy { _ in true })
        check("Buffer", hand.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest))
        check("Catch", hand.setFailureType(to: TestFailure.self).catch { _ in Just(1) })
        check("Collect", hand.collect())
        check("CollectByCount", hand.collect(2))
        check("Comparison", hand.min())
        check("Concatenate", hand.append(1))
        check("Contains", hand.contains(1))
        check("ContainsWhere", hand.contains { $0 == 1 })
        check("Count", hand.count())
        check("Debounce", hand.debounce(for: 1, scheduler: now))
        check("Drop", hand.dropFirst())
        check("DropUntilOutput", hand.drop(untilOutputFrom: hand))
        check("DropWhile", hand.drop { _ in true })
        check("First", hand.first())
        check("FlatMap", hand.flatMap { Just($0) })
        check("HandleEvents", hand.handleEvents())
        check("Last", hand.last())
        check("LastWhere", hand.last { _ in true })
        check("MeasureInterval", hand.measureInterval(using: now))
        check("Multicast", hand.share())
        check("Multicast", hand.multicast { PassthroughSubject() })
        check("Multicast", hand.makeConnectable())
        check("Output", hand.prefix(2))
        check("PrefixWhile", hand.prefix { _ in true })
        check("ReceiveOn", hand.receive(on: now))
        check("Reduce", hand.reduce(0, +))
        check("RemoveDuplicates", hand.removeDuplicates())
        check("ReplaceEmpty", hand.replaceEmpty(with: 1))
        check("ReplaceError", hand.replaceError(with: 1))
        check("Retry", hand.retry(1))
        check("SubscribeOn", hand.subscribe(on: now))
        check("Throttle", hand.throttle(for: 1, scheduler: now, latest: true))
        check("Timeout", hand.timeout(1, scheduler: now))
        check("Print", hand.print(to: Silence()))
    }

    func test_throwingOperators() {
        check("TryAllSatisfy", hand.tryAllSatisfy { _ in true })
        check("TryCompactMap", hand.tryCompactMap { $0 as Int? })
        check("TryComparison", hand.tryMin(by: <))
        check("TryContainsWhere", hand.tryContains { _ in true })
        check("TryDropWhile", hand.tryDrop { _ in true })
        check("TryFilter", hand.tryFilter { _ in true })
        check("TryFirstWhere", hand.tryFirst { _ in true })
        check("TryLastWhere", hand.tryLast { _ in true })
        check("TryMap", hand.tryMap { $0 })
        check("TryPrefixWhile", hand.tryPrefix { _ in true })
        check("TryReduce", hand.tryReduce(0, +))
        check("TryRemoveDuplicates", hand.tryRemoveDuplicates(by: ==))
        check("TryScan", hand.tryScan(0, +))
    }

    func test_transparentOperators() {
        let name = "TestPublisher"
        check(name, hand.map { $0 })
        check(name, hand.filter { _ in true })
        check(name, hand.compactMap { $0 as Int? })
        check(name, hand.scan(0, +))
        check(name, hand.setFailureType(to: TestFailure.self).mapError { _ in TestFailure.second })
        check(name, hand.setFailureType(to: TestFailure.self))
        check(name, hand.ignoreOutput())
        check(name, hand.assertNoFailure())
        check(name, hand.breakpoint())
        check(name, hand.map(\.description))
        check("Multicast", hand.makeConnectable().autoconnect())
    }

    func test_aSequenceIsNamedAsSuchAfterItsEnd() {
        func names<P: Publisher>(_ publisher: P, cancels: Bool) -> [String] {
            var subscription: (any Subscription)?
            publisher.subscribe(
                AnySubscriber(receiveSubscription: { subscription = $0 }, receiveValue: { _ in .none }))
            let before = "\(subscription!)"
            if cancels { subscription!.cancel() } else { subscription!.request(.unlimited) }
            return [before, "\(subscription!)"]
        }
        for cancels in [false, true] {
            XCTAssertEqual(names([1, 2].publisher, cancels: cancels), ["[1, 2]", "Sequence"])
            XCTAssertEqual(names("ab".publisher, cancels: cancels), ["ab", "Sequence"])
            XCTAssertEqual(names((1...2).publisher, cancels: cancels), ["1...2", "Sequence"])
            let record = Record<Int, Never>(output: [3], completion: .finished)
            XCTAssertEqual(names(record, cancels: cancels), ["[3]", "Sequence"])
            XCTAssertEqual(names(Just(1), cancels: cancels), ["Just", "Just"])
            XCTAssertEqual(names(Future<Int, Never> { $0(.success(1)) }, cancels: cancels), ["Future", "Future"])
        }
        XCTAssertEqual(names(Always(1), cancels: true), ["Always", "Always"])
    }

    func test_subscriptionsShowNothingOfTheirInsideAndSequencesTheirElements() {
        func check<P: Publisher>(_ publisher: P, line: UInt = #line) {
            var subscription: (any Subscription)?
            publisher.subscribe(
                AnySubscriber(receiveSubscription: { subscription = $0 }, receiveValue: { _ in .none }))
            XCTAssertEqual(Mirror(reflecting: subscription!).children.map { $0.label ?? "-" }, [], line: line)
            subscription?.cancel()
        }
        check(Just(1))
        check(hand.prefix(1))
        check(hand.flatMap { Just($0) })
        check(hand.buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest))
        check(PassthroughSubject<Int, Never>())
        check(Always(1))
        var subscription: (any Subscription)?
        [1, 2].publisher.subscribe(
            AnySubscriber(receiveSubscription: { subscription = $0 }, receiveValue: { _ in .none }))
        var children = Mirror(reflecting: subscription!).children
        XCTAssertEqual(children.map(\.label), ["sequence"])
        XCTAssertEqual(children.first?.value as? [Int], [1, 2])
        subscription!.cancel()
        children = Mirror(reflecting: subscription!).children
        XCTAssertEqual(children.first?.value as? [Int], [])
    }

    private struct Silence: TextOutputStream {
        mutating func write(_ string: String) {}
    }
}
