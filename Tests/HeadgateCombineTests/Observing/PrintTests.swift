import HeadgateCombine
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
        let upstream = HandPublisher<Int, TestFailure>()
        let recorder = Recorder<Int, TestFailure>(demand: .max(3)) { _, value in value == 2 ? .max(1) : .none }
        upstream.print(to: page).subscribe(recorder)
        upstream.send(1)
        upstream.send(2)
        recorder.request(.unlimited)
        upstream.send(completion: .failure(.first))
        XCTAssertEqual(
            page.lines,
            [
                "receive subscription: (HandPublisher)", "request max: (3)", "receive value: (1)", "receive value: (2)",
                "request max: (1) (synchronous)", "request unlimited", "receive error: (first)",
            ])
        XCTAssertEqual(recorder.events.first, .subscription("Print"))
        XCTAssertEqual(recorder.values, [1, 2])
        XCTAssertEqual(recorder.failure, .first)
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

    func test_writesUnlimitedDemandThatIsAnAnswer() {
        let page = Page()
        let upstream = HandPublisher<Int, Never>()
        upstream.print(to: page).subscribe(Recorder(demand: .max(1)) { _, _ in .unlimited })
        XCTAssertEqual(upstream.send(1), .unlimited)
        XCTAssertEqual(page.lines.last, "request unlimited (synchronous)")
    }

    func test_writesAboutRequestsAndCancellationsAfterTheEndAndPassesOneCancellationOn() {
        let page = Page()
        let upstream = HandPublisher<Int, Never>()
        var subscription: (any Subscription)?
        upstream.print(to: page).subscribe(AnySubscriber(receiveSubscription: { subscription = $0 }))
        subscription?.cancel()
        subscription?.cancel()
        subscription?.request(.max(1))
        XCTAssertEqual(
            page.lines,
            ["receive subscription: (HandPublisher)", "receive cancel", "receive cancel", "request max: (1)"])
        XCTAssertEqual(upstream.calls, [.cancel])
    }

    func test_writesAboutASecondSubscriptionAndRefusesIt() {
        let page = Page()
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>()
        upstream.print(to: page).subscribe(recorder)
        upstream.sendSubscription()
        XCTAssertEqual(page.lines.filter { $0 == "receive subscription: (HandPublisher)" }.count, 2)
        XCTAssertEqual(upstream.cancelCount, 1)
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_showsWhereAStreamIsShared() {
        let numbers = HandPublisher<Int, Never>()
        let shared: [(String, AnyPublisher<Int, Never>)] = [
            ("share", numbers.share().eraseToAnyPublisher()),
            ("multicast", numbers.multicast { PassthroughSubject() }.eraseToAnyPublisher()),
            ("multicast(subject:)", numbers.multicast(subject: CurrentValueSubject(0)).eraseToAnyPublisher()),
            ("makeConnectable", numbers.makeConnectable().eraseToAnyPublisher()),
        ]
        for (name, publisher) in shared {
            let page = Page()
            publisher.print(to: page).subscribe(Recorder())
            XCTAssertEqual(page.lines.first, "receive subscription: (Multicast)", name)
        }
    }

    func test_showsAFutureThatHasFailedAsAFuture() {
        let page = Page()
        let recorder = Recorder<Int, TestFailure>()
        Future<Int, TestFailure> { $0(.failure(.first)) }.print(to: page).subscribe(recorder)
        XCTAssertEqual(
            page.lines, ["receive subscription: (Future)", "request max: (0)", "receive error: (first)"])
        XCTAssertEqual(recorder.breaches, [])
    }

    func test_passesDemandOnAsItIs() {
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>(demand: .max(2))
        upstream.print(to: Page()).subscribe(recorder)
        recorder.request(1)
        XCTAssertEqual(upstream.calls, [.request(.max(2)), .request(.max(1))])
    }

    func test_writesLinesThatComeFromInsideALineBehindIt() {
        let page = Page()
        let upstream = HandPublisher<Int, Never>()
        let recorder = Recorder<Int, Never>()
        upstream.print(to: page).subscribe(recorder)
        page.onWrite = {
            page.onWrite = {}
            recorder.request(5)
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

    func test_letsGoOfStreamAndSubscriber() {
        let before = Tracked.count
        do {
            let recorder = Recorder<Tracked, Never>(demand: .unlimited)
            Just(Tracked()).print(to: Page()).subscribe(recorder)
            XCTAssertTrue(recorder.hasFinished)
        }
        XCTAssertEqual(Tracked.count, before)
        weak var weakPage: Page?
        do {
            let page = Page()
            weakPage = page
            let recorder = Recorder<Int, Never>(demand: .unlimited)
            PassthroughSubject<Int, Never>().print(to: page).subscribe(recorder)
            recorder.cancel()
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
