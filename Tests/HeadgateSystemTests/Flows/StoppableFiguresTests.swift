import Headgate
import HeadgateFlow
import HeadgateSystem
import HeadgateTesting
import XCTest

/// What a stage says of the queues behind that which ends a stream from outside, which stands last in every server.
final class StoppableFiguresTests: XCTestCase {
    private func check(_ name: String, _ transform: (AnyPublisher<Int, Never>) -> some Publisher<Int, Never>) {
        let flow = Flow("figures", scheduler: TestScheduler())
        let source = PassthroughSubject<Int, Never>()
        let subscriber = TestSubscriber<Int, Never>(.first(1))
        transform(source.onBackpressureBuffer(limit: 2, whenFull: .dropOldest).eraseToAnyPublisher())
            .stage("out", in: flow).subscribe(subscriber)
        (1...10).forEach { source.send($0) }
        let stage = flow.snapshot.stages[0]
        XCTAssertEqual([stage.values, stage.waiting, stage.dropped], [1, 2, 7], name)
        subscriber.cancel()
    }

    func test_behindAKillSwitchAndAShutdownQueuesAreCounted() {
        check("stopped(by:)") { $0.stopped(by: KillSwitch()) }
        let signals = PassthroughSubject<Signal, Never>()
        let shutdown = GracefulShutdown(on: signals, deadline: .seconds(10), scheduler: TestScheduler())
        check("underWay(in:)") { $0.underWay(in: shutdown) }
    }
}
