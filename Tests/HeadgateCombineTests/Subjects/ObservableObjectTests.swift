import HeadgateTesting
import TestSupport
import XCTest

@testable import HeadgateCombine

final class ObservableObjectTests: XCTestCase {
    private class Model: ObservableObject {
        @Published var level = 0
        var plain = 0
        @Published var name = "a"
    }

    private final class Submodel: Model {
        @Published var extra = false
    }

    private final class Bare: ObservableObject {
        var level = 0
    }

    func test_firesBeforeEachPublishedPropertyChanges() {
        let model = Model()
        var seen: [String] = []
        let watch = model.objectWillChange.sink { seen.append("\(model.level)\(model.name)") }
        model.level = 1
        model.plain = 5
        model.name = "b"
        XCTAssertEqual(seen, ["0a", "1a"])
        watch.cancel()
    }

    func test_firesBeforeTheSubscribersOfThePropertyReceive() {
        let model = Model()
        var order: [String] = []
        let property = model.$level.sink { order.append("property \($0)") }
        let object = model.objectWillChange.sink { order.append("object") }
        model.level = 1
        XCTAssertEqual(order, ["property 0", "object", "property 1"])
        property.cancel()
        object.cancel()
    }

    func test_isOnePublisherForTheLifeOfTheObjectOfWhateverClass() {
        let model = Model()
        XCTAssertTrue(model.objectWillChange === model.objectWillChange)
        let submodel = Submodel()
        XCTAssertTrue(submodel.objectWillChange === submodel.objectWillChange)
        XCTAssertTrue(submodel.objectWillChange === (submodel as Model).objectWillChange)
        XCTAssertFalse(model.objectWillChange === submodel.objectWillChange)
        let bare = Bare()
        XCTAssertTrue(bare.objectWillChange === bare.objectWillChange)
        XCTAssertFalse(bare.objectWillChange === Bare().objectWillChange)
    }

    func test_firesForPropertiesOfSuperclasses() {
        let submodel = Submodel()
        var count = 0
        let watch = submodel.objectWillChange.sink { count += 1 }
        submodel.extra = true
        submodel.level = 1
        XCTAssertEqual(count, 2)
        watch.cancel()
    }

    func test_anObjectWithoutPublishedPropertiesFiresItself() {
        let bare = Bare()
        let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
        bare.objectWillChange.map { bare.level }.subscribe(subscriber)
        bare.objectWillChange.send()
        XCTAssertEqual(
            subscriber.events, [.subscription("ObservableObjectPublisher"), .request(.unlimited), .value(0)])
        subscriber.cancel()
    }

    func test_keepsNothingOfObjectsWithoutPublishedPropertiesForLong() {
        let table = ObservableObjectTable()
        weak var first: ObservableObjectPublisher?
        do {
            let bare = Bare()
            first = table.publisher(for: bare)
            XCTAssertNotNil(first)
        }
        let living = (0..<100).map { _ in Bare() }
        for bare in living { XCTAssertTrue(table.publisher(for: bare) === table.publisher(for: bare)) }
        XCTAssertNil(first)
    }

    func test_anObjectMayBringItsOwnPublisher() {
        final class Own: ObservableObject {
            let objectWillChange = PassthroughSubject<String, Never>()
            var level = 0 {
                willSet { objectWillChange.send("level") }
            }
        }
        let own = Own()
        var seen: [String] = []
        let watch = own.objectWillChange.sink { seen.append($0) }
        own.level = 1
        XCTAssertEqual(seen, ["level"])
        watch.cancel()
    }

    @MainActor
    private final class Screen: ObservableObject {
        @Published private(set) var lines: [String] = []
        @Published var title: String?

        func add(_ line: String) { lines.append(line) }
    }

    @MainActor
    func test_worksInAnIsolatedClass() {
        let screen = Screen()
        var count = 0
        let watch = screen.objectWillChange.sink { count += 1 }
        let subscriber = TestSubscriber<[String], Never>.checked(.unlimited)
        screen.$lines.subscribe(subscriber)
        screen.add("a")
        screen.title = "t"
        XCTAssertEqual(count, 2)
        XCTAssertEqual(subscriber.values, [[], ["a"]])
        watch.cancel()
    }

    func test_threadsThatRequestAtOnceGetOnePublisher() {
        for _ in 0..<100 {
            let model = Model()
            var first: ObservableObjectPublisher?
            var second: ObservableObjectPublisher?
            onThreads(2) { thread in
                if thread == 0 { first = model.objectWillChange } else { second = model.objectWillChange }
            }
            XCTAssertNotNil(first)
            XCTAssertTrue(first === second)
        }
    }

    func test_notifiesSubscribersThatHaveRequestedNothing() {
        let model = Model()
        var count = 0
        model.objectWillChange.subscribe(
            AnySubscriber(
                receiveSubscription: { _ in },
                receiveValue: {
                    count += 1
                    return .none
                }))
        model.objectWillChange.send()
        model.objectWillChange.send()
        XCTAssertEqual(count, 2)
    }

    func test_notifiesASubscriberOfEachChangeWhateverItHasRequested() {
        let publisher = ObservableObjectPublisher()
        var events: [String] = []
        var subscription: (any Subscription)?
        publisher.subscribe(
            AnySubscriber(
                receiveSubscription: {
                    events.append("\($0)")
                    subscription = $0
                    $0.request(.max(1))
                },
                receiveValue: {
                    events.append("change")
                    return .none
                }))
        publisher.send()
        publisher.send()
        subscription?.cancel()
        publisher.send()
        XCTAssertEqual(events, ["ObservableObjectPublisher", "change", "change"])
    }
}
