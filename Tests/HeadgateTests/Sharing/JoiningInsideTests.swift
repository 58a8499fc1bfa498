import Headgate
import HeadgateTesting
import TestSupport
import XCTest

/// Subscribers that join what is shared inside a delivery in which the last of the others has left: they connect to upstream
/// before `subscribe(_:)` returns, so that a hot one loses nothing.
final class JoiningInsideTests: XCTestCase {
    private typealias Chain = AnyPublisher<Int, Never>

    nonisolated(unsafe) private let shares: [(name: String, apply: (Chain) -> Chain)] = [
        ("share", { $0.share().eraseToAnyPublisher() }),
        ("shareUntilFailure", { $0.shareUntilFailure().eraseToAnyPublisher() }),
        ("shareReplay(capacity: 0)", { $0.shareReplay(capacity: 0).eraseToAnyPublisher() }),
        ("shareReplay(capacity: 1)", { $0.shareReplay(capacity: 1).eraseToAnyPublisher() }),
        ("share(replay: 0)", { $0.share(replay: 0).eraseToAnyPublisher() }),
        ("broadcast", { $0.broadcast().eraseToAnyPublisher() }),
        ("cached", { $0.cached(for: .zero, scheduler: ImmediateScheduler.shared).eraseToAnyPublisher() }),
        ("autoconnect", { $0.multicast { PassthroughSubject() }.autoconnect().eraseToAnyPublisher() }),
    ]

    func test_aHotUpstreamLosesNothing() {
        for (name, apply) in shares {
            let source = PassthroughSubject<Int, Never>()
            nonisolated(unsafe) var subscriptions = 0
            let shared = apply(
                source.handleEvents(
                    receiveSubscription: { _ in subscriptions += 1 }, receiveCancel: { subscriptions -= 1 }
                )
                .eraseToAnyPublisher())
            let next = TestSubscriber<Int, Never>.checked(.first(1))
            var others: [AnyCancellable] = []
            for _ in 1...2 {
                shared.sink { _ in
                    if others.isEmpty { return }
                    others.removeAll()
                    shared.subscribe(next)
                    source.send(2)
                    next.request(.max(3))
                    source.send(3)
                }
                .store(in: &others)
            }
            source.send(1)
            source.send(4)
            XCTAssertEqual(next.values, [2, 3, 4], name)
            XCTAssertEqual(subscriptions, 1, name)
            next.cancel()
            XCTAssertEqual(subscriptions, 0, name)
        }
    }

    func test_whoLeavesAgainInsideTheDeliveryLeavesNothingConnected() {
        for (name, apply) in shares {
            let source = PassthroughSubject<Int, Never>()
            nonisolated(unsafe) var subscriptions = 0
            let shared = apply(
                source.handleEvents(
                    receiveSubscription: { _ in subscriptions += 1 }, receiveCancel: { subscriptions -= 1 }
                )
                .eraseToAnyPublisher())
            var received: [Int] = []
            var first: AnyCancellable?
            first = shared.sink { _ in
                first?.cancel()
                for _ in 1...3 { shared.sink { received.append($0) }.cancel() }
            }
            source.send(1)
            XCTAssertEqual(subscriptions, 0, name)
            let last = shared.sink { received.append($0) }
            source.send(2)
            XCTAssertEqual(received, [2], name)
            last.cancel()
            XCTAssertEqual(subscriptions, 0, name)
        }
    }

    func test_aSourceThatAnswersAtOnceIsReceivedWhole() {
        for (name, apply) in shares {
            let hot = PassthroughSubject<Int, Never>()
            let shared = apply(secondTime((1...3).publisher.eraseToAnyPublisher(), first: hot))
            let next = TestSubscriber<Int, Never>.checked(.first(4))
            var first: AnyCancellable?
            first = shared.sink { _ in
                first?.cancel()
                shared.subscribe(next)
            }
            hot.send(0)
            XCTAssertEqual(next.received.dropFirst(), [.value(1), .value(2), .value(3), .completion(.finished)], name)
        }
    }

    func test_anUpstreamThatHasEndedWhenItIsConnectedEndsTheStream() {
        for (name, apply) in shares {
            let hot = PassthroughSubject<Int, Never>()
            let shared = apply(secondTime(Empty().eraseToAnyPublisher(), first: hot))
            let next = TestSubscriber<Int, Never>.checked(.none)
            var first: AnyCancellable?
            first = shared.sink { _ in
                first?.cancel()
                shared.subscribe(next)
            }
            hot.send(0)
            XCTAssertEqual(next.completion, .finished, name)
        }
    }

    private func secondTime(_ second: Chain, first: PassthroughSubject<Int, Never>) -> Chain {
        nonisolated(unsafe) var runs = 0
        return Deferred { () -> Chain in
            runs += 1
            return runs == 1 ? first.eraseToAnyPublisher() : second
        }
        .eraseToAnyPublisher()
    }
}
