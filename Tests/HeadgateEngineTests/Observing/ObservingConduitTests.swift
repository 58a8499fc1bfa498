import HeadgateCombine
import HeadgateEngine
import HeadgateTesting
import TestSupport
import XCTest

/// Records everything of which it is notified.
private final class Listener: StreamObserver {
    var lines: [String] = []

    func offered(_ subscription: any Subscription) { lines.append("offered") }

    func subscribed() { lines.append("subscribed") }

    func received(_ value: Int) { lines.append("received \(value)") }

    func answered(_ demand: Subscribers.Demand) { lines.append("answered \(demand)") }

    func completed(_ completion: Subscribers.Completion<TestFailure>) { lines.append("completed") }

    func ended() { lines.append("ended") }

    func dropped(_ value: Int) { lines.append("dropped \(value)") }

    func dropped(completion: Subscribers.Completion<TestFailure>) { lines.append("dropped completion") }

    var notify: ((Signal) -> Void)? {
        { signal in
            switch signal {
            case .request(let demand): self.lines.append("request \(demand)")
            case .cancel: self.lines.append("cancel")
            }
        }
    }
}

final class ObservingConduitTests: XCTestCase {
    private typealias Upstream = TestPublisher<Int, TestFailure>

    private let listener = Listener()
    private let upstream = Upstream(keepsSubscribers: true)

    /// A subscriber that records, in the order of the listener's lines, what it receives.
    private func subscriber(answering demand: Subscribers.Demand = .none) -> AnySubscriber<Int, TestFailure> {
        AnySubscriber(
            receiveSubscription: { [listener] in
                listener.lines.append("> subscription")
                $0.request(.max(1))
            },
            receiveValue: { [listener] in
                listener.lines.append("> \($0)")
                return demand
            }, receiveCompletion: { [listener] _ in listener.lines.append("> completion") })
    }

    func test_notifiesBeforeAndAfterWhatItForwards() {
        upstream.receive(subscriber: ObservingConduit(name: "Observed", listener, subscriber(answering: .max(2))))
        upstream.send(7)
        upstream.finish()
        XCTAssertEqual(
            listener.lines,
            [
                "offered", "subscribed", "> subscription", "request max(1)", "received 7", "> 7",
                "answered max(2)", "completed", "> completion", "ended",
            ])
    }

    func test_notifiesOfWhatIsDropped() {
        let subscriber = TestSubscriber<Int, TestFailure>.checked()
        upstream.receive(subscriber: ObservingConduit(name: "Observed", listener, subscriber))
        subscriber.cancel()
        upstream.force(1)
        upstream.force(completion: .failure(.first))
        subscriber.cancel()
        subscriber.request(1)
        XCTAssertEqual(
            listener.lines, ["offered", "subscribed", "cancel", "dropped 1", "dropped completion"])
    }

    func test_notifiesOfEveryCallIfConfigured() {
        var subscription: (any Subscription)?
        let subscriber = AnySubscriber<Int, TestFailure>(receiveSubscription: { subscription = $0 })
        upstream.receive(
            subscriber: ObservingConduit(name: "Observed", listener, telling: .everySignal, subscriber))
        subscription?.cancel()
        subscription?.cancel()
        XCTAssertEqual(listener.lines.filter { $0 == "cancel" }.count, 2)
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_refusesASecondSubscriptionAndOnlyReportsItsOffer() {
        let conduit = ObservingConduit(name: "Observed", listener, subscriber())
        let second = Upstream()
        upstream.receive(subscriber: conduit)
        second.receive(subscriber: conduit)
        XCTAssertEqual(second.calls, [.cancel])
        XCTAssertEqual(listener.lines.filter { $0 == "offered" }.count, 2)
        XCTAssertEqual(listener.lines.filter { $0 == "subscribed" }.count, 1)
    }

    func test_theTransparentOneForwardsUpstreamsSubscriptionItself() {
        var arrived: (any Subscription)?
        let source = StubbornPublisher<Int, TestFailure>()
        source.receive(
            subscriber: TransparentConduit(
                listener, AnySubscriber<Int, TestFailure>(receiveSubscription: { arrived = $0 })))
        XCTAssertTrue(arrived as? StubbornPublisher<Int, TestFailure> === source)
        _ = source.downstream?.receive(3)
        source.downstream?.receive(completion: .finished)
        XCTAssertEqual(
            listener.lines, ["offered", "subscribed", "received 3", "completed", "ended"])
    }
}
