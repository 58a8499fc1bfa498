import Headgate
import HeadgateCore
import TestSupport
import XCTest

final class TimeLoggerTests: XCTestCase {
    /// A clock that stands still until it is set.
    private final class HandClock: Clock {
        struct Instant: InstantProtocol {
            var offset: Duration

            func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
            func duration(to other: Self) -> Duration { other.offset - offset }
            static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
        }

        private let time = Guarded(Instant(offset: .seconds(100)))

        var now: Instant { time.withLock { $0 } }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
        func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
    }

    private final class Page: TextOutputStream {
        var text = ""

        func write(_ string: String) { text += string }
    }

    private let clock = HandClock()
    private let page = Page()

    func test_writesTheSecondsSinceTheStartBeforeEachLine() {
        let logger = TimeLogger(clock: clock, to: page)
        let upstream = PassthroughSubject<Int, Never>()
        let cancellable = upstream.print("tick", to: logger).sink { _ in }
        clock.advance(by: .milliseconds(1040))
        upstream.send(1)
        clock.advance(by: .seconds(11))
        upstream.send(2)
        cancellable.cancel()
        XCTAssertEqual(
            page.text,
            """
            +0.000s: tick: receive subscription: (PassthroughSubject)
            +0.000s: tick: request unlimited
            +1.040s: tick: receive value: (1)
            +12.040s: tick: receive value: (2)
            +12.040s: tick: receive cancel

            """)
    }

    func test_givesALineTheTimeAtWhichItBegan() {
        let logger = TimeLogger(clock: clock, to: page)
        logger.write("one ")
        clock.advance(by: .seconds(1))
        logger.write("line")
        XCTAssertEqual(page.text, "")
        logger.write("\nanother\n\nthe rest")
        XCTAssertEqual(page.text, "+0.000s: one line\n+1.000s: another\n+1.000s: \n")
    }

    func test_cutsTheTimeOffAfterTheThousandths() {
        let logger = TimeLogger(clock: clock, to: page)
        clock.advance(by: .microseconds(1999))
        logger.write("a\n")
        XCTAssertEqual(page.text, "+0.001s: a\n")
    }

    func test_countsByAClockOfItsOwnIfThereIsNoOther() {
        let logger = TimeLogger(to: page)
        logger.write("a\n")
        XCTAssertTrue(page.text.hasPrefix("+") && page.text.hasSuffix("s: a\n"))
    }
}
