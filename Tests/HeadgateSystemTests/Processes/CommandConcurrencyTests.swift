import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

/// Programs that start, write and end while other threads ask, cancel and stop.
final class CommandConcurrencyTests: XCTestCase {
    func test_cancellingWhileAnotherThreadRequestsLeavesNothing() async {
        for command in [Command("/bin/true"), Command("sleep", "1000"), Command("no-such-program")] {
            for _ in 0..<Scale.reduced(300) {
                let subscriber = TestSubscriber<CommandEvent, SystemError>.checked()
                command.events().subscribe(subscriber)
                onThreads(2) { number in
                    if number == 0 { subscriber.request(.unlimited) } else { subscriber.cancel() }
                }
            }
        }
        await Command.allHaveEnded()
        XCTAssertFalse(hasChildren())
    }

    func test_stoppingAndCancellingWhileAProgramEndsLeavesNothing() async {
        for round in 0..<Scale.reduced(300) {
            let stop = KillSwitch()
            let subscriber = TestSubscriber<CommandEvent, SystemError>.checked(.unlimited)
            Command("/bin/sh", "-c", "echo one; sleep 0.00\(round % 9)").events(stop: stop).subscribe(subscriber)
            onThreads(2) { number in
                if number == 0 { stop.turnOff() } else if round.isMultiple(of: 2) { subscriber.cancel() }
            }
            if !round.isMultiple(of: 2) { eventually { subscriber.hasFinished } }
        }
        await Command.allHaveEnded()
        XCTAssertFalse(hasChildren())
    }

    func test_linesLoseNothingWhenTwoThreadsRequestThem() {
        let count = Scale.reduced(20_000)
        let subscriber = TestSubscriber<String, CommandFailure>.checked()
        Command("seq", "\(count)").lines().subscribe(subscriber)
        onThreads(2) { _ in
            for _ in 0..<(count / 2) { subscriber.request(.max(1)) }
        }
        eventually { subscriber.values.count == count }
        subscriber.request(.max(1))
        eventually { subscriber.hasFinished }
        XCTAssertEqual(subscriber.values, (1...count).map { "\($0)" })
    }

    func test_manyAtOnceEachHaveTheirOwnOutput() async {
        let subscribers = (0..<Scale.reduced(200)).map { number in
            let subscriber = TestSubscriber<CommandOutcome, SystemError>.checked(.unlimited)
            Command("cat", input: .bytes(Bytes("input \(number)"))).run().subscribe(subscriber)
            return subscriber
        }
        for (number, subscriber) in subscribers.enumerated() {
            eventually { subscriber.hasFinished }
            XCTAssertEqual(subscriber.values.map(\.output), [Bytes("input \(number)")])
        }
    }
}
