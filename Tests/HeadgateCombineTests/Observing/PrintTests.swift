import HeadgateCombine
import HeadgateTesting
import TestSupport
import XCTest

final class PrintTests: XCTestCase {
    /// Keeps what is written, line by line.
    private final class Page: TextOutputStream {
        var text = ""
        var onWrite: () -> Void = {}

        var lines: [Substring] { text.split(separator: "\n") }

        func write(_ string: String) {
            text += string
            onWrite()
        }
    }

    func test_writesALineAboutEachThingThatHappens() {
        let page = Page()
        let upstream = TestPublisher<Int, TestFailure>()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(requesting: .max(3)) { _, value in
            value == 2 ? .max(1) : .none
        }
        upstream.print(to: page).subscribe(subscriber)
        upstream.send(1)
        upstream.send(2)
        subscriber.request(.unlimited)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            page.lines,
            [
                "receive subscription: (TestPublisher)", "request max: (3)", "receive value: (1)", "receive value: (2)",
                "request max: (1) (synchronous)", "request unlimited", "receive error: (first)",
            ])
        XCTAssertEqual(subscriber.events.first, .subscription("Print"))
        XCTAssertEqual(subscriber.values, [1, 2])
        XCTAssertEqual(subscriber.failure, .first)
    }

    func test_writesThePrefixBeforeAColon() {
        let page = Page()
        (1...2).publisher.print("numbers", to: page).sink { _ in }.cancel()
        XCTAssertEqual(
            page.lines,
            [
                "numbers: receive subscription: (1...2)", "numbers: request unlimited", "numbers: receive value: (1)",
                "numbers: receive value: (2)", "numbers: receive finished",
            ])
    }

    func test_aCancellationInsideTheLineAboutOneReachesUpstreamBeforeItReturns() {
        let page = Page()
        let upstream = TestPublisher<Int, Never>()
        var subscription: (any Subscription)?
        upstream.print(to: page).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        var cancellations: [Int] = []
        page.onWrite = {
            if !page.text.hasSuffix("receive cancel\n") || !cancellations.isEmpty { return }
            cancellations.append(upstream.cancelCount)
            subscription?.cancel()
            cancellations.append(upstream.cancelCount)
        }
        subscription?.cancel()
        XCTAssertEqual(cancellations, [0, 1])
        XCTAssertEqual(upstream.cancelCount, 1)
    }

    func test_writesUnlimitedDemandThatIsAnAnswer() {
        let page = Page()
        let upstream = TestPublisher<Int, Never>()
        upstream.print(to: page).subscribe(TestSubscriber.checked(requesting: .max(1)) { _, _ in .unlimited })
        XCTAssertEqual(upstream.answer(to: 1), .unlimited)
        XCTAssertEqual(page.lines.last, "request unlimited (synchronous)")
    }

    func test_printsRequestsAndCancellationsAfterTheEndAndForwardsOneCancellation() {
        let page = Page()
        let upstream = TestPublisher<Int, Never>()
        var subscription: (any Subscription)?
        upstream.print(to: page).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(
            page.lines,
            ["receive subscription: (TestPublisher)", "receive cancel", "receive cancel", "request max: (1)"])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_printsASecondSubscriptionAndRefusesIt() {
        let page = Page()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked()
        upstream.print(to: page).subscribe(subscriber)
        XCTAssertEqual(upstream.sendSubscription().map(\.cancelCount), [1])
        XCTAssertEqual(page.lines.filter { $0 == "receive subscription: (TestPublisher)" }.count, 2)
        XCTAssertEqual(upstream.cancelCount, 0)
    }

    func test_showsWhereAStreamIsShared() {
        let numbers = TestPublisher<Int, Never>()
        let shared: [(String, AnyPublisher<Int, Never>)] = [
            ("share", numbers.share().eraseToAnyPublisher()),
            ("multicast", numbers.multicast { PassthroughSubject() }.eraseToAnyPublisher()),
            ("multicast(subject:)", numbers.multicast(subject: CurrentValueSubject(0)).eraseToAnyPublisher()),
            ("makeConnectable", numbers.makeConnectable().eraseToAnyPublisher()),
        ]
        for (name, publisher) in shared {
            let page = Page()
            publisher.print(to: page).subscribe(TestSubscriber.checked())
            XCTAssertEqual(page.lines.first, "receive subscription: (Multicast)", name)
        }
    }

    func test_showsAFutureThatHasFailedAsAFuture() {
        let page = Page()
        let subscriber = TestSubscriber<Int, TestFailure>.checked(.first(1))
        Future<Int, TestFailure> { $0(.failure(.first)) }.print(to: page).subscribe(subscriber)
        XCTAssertEqual(
            page.lines, ["receive subscription: (Future)", "request max: (1)", "receive error: (first)"])
    }

    func test_forwardsDemandAsItIs() {
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(2))
        upstream.print(to: Page()).subscribe(subscriber)
        subscriber.request(1)
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(1))])
    }

    func test_printsLinesFromInsideALineAfterIt() {
        let page = Page()
        let upstream = TestPublisher<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>.checked(.first(1))
        upstream.print(to: page).subscribe(subscriber)
        page.onWrite = {
            page.onWrite = {}
            subscriber.request(5)
        }
        upstream.send(1)
        XCTAssertEqual(page.lines.suffix(2), ["receive value: (1)", "request max: (5)"])
    }

    func test_writesOneLineAtATimeWhateverTheThreads() {
        let page = Page()
        let subject = PassthroughSubject<Int, Never>()
        var subscription: (any Subscription)?
        subject.print(to: page).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.request(.unlimited)
        onThreads(4) { thread in
            for number in 0..<50 {
                if thread < 2 { subject.send(number) } else { subscription?.request(.max(1)) }
            }
        }
        XCTAssertEqual(page.lines.count { $0 == "request max: (1)" }, 100)
        XCTAssertEqual(page.lines.count { $0.hasPrefix("receive value: (") && $0.hasSuffix(")") }, 100)
        XCTAssertEqual(page.lines.count, 202)
    }

    func test_releasesStreamAndSubscriber() {
        let before = Tracked.count
        do {
            let subscriber = TestSubscriber<Tracked, Never>.checked(.unlimited)
            Just(Tracked()).print(to: Page()).subscribe(subscriber)
            XCTAssertTrue(subscriber.hasFinished)
        }
        XCTAssertEqual(Tracked.count, before)
        weak var weakPage: Page?
        do {
            let page = Page()
            weakPage = page
            let subscriber = TestSubscriber<Int, Never>.checked(.unlimited)
            PassthroughSubject<Int, Never>().print(to: page).subscribe(subscriber)
            subscriber.cancel()
        }
        XCTAssertNil(weakPage)
    }

    func test_keepsItsProperties() {
        let print = Publishers.Print(upstream: Just(1), prefix: "one")
        XCTAssertEqual(print.prefix, "one")
        XCTAssertEqual(print.upstream, Just(1))
        XCTAssertNil(print.stream)
    }
}
