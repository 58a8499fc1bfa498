import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// A centre to which a test brings signals, and what it has been asked to catch.
private final class SignalDouble: Sendable {
    let caught = Guarded<[Int32]>([])
    let restored = Guarded<[Int32]>([])

    var centre: SignalCentre {
        SignalCentre { number in
            self.caught.withLock { $0.append(number) }
            return { self.restored.withLock { $0.append(number) } }
        }
    }
}

extension Publishers.Signals {
    /// The same with signals that a test brings, delivered by the thread that brings them.
    fileprivate func brought(to centre: SignalCentre) -> Publishers.Signals {
        var copy = self
        copy.centre = centre
        copy.makeQueue = { .immediate }
        return copy
    }
}

final class SignalsTests: XCTestCase {
    private func bits(_ signals: Signal...) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1.number - 1) } }

    private func disposition(of signal: Signal) -> UInt {
        var action = sigaction()
        sigaction(signal.number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    }

    func test_publishesASignalThatIsSentToTheProcess() {
        let subscriber = TestSubscriber<Signal, Never>.checked(.unlimited)
        Signals.publisher(for: .user1, .windowChange).subscribe(subscriber)
        kill(getpid(), SIGUSR1)
        eventually { subscriber.values == [.user1] }
        kill(getpid(), SIGWINCH)
        eventually { subscriber.values == [.user1, .windowChange] }
        subscriber.cancel()
    }

    func test_severalSubscribersReceiveTheSameSignal() {
        let subscribers = (0..<3).map { _ in TestSubscriber<Signal, Never>.checked(.unlimited) }
        for subscriber in subscribers { Signals.publisher(for: .user2).subscribe(subscriber) }
        kill(getpid(), SIGUSR2)
        eventually { subscribers.allSatisfy { $0.values == [.user2] } }
        for subscriber in subscribers { subscriber.cancel() }
    }

    func test_restoresTheDispositionWithTheLastSubscriber() {
        // By default, this signal ends the process.
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        sigaction(SIGUSR1, &ignoring, nil)
        let ignored = disposition(of: .user1)
        let (first, second) = (TestSubscriber<Signal, Never>.checked(), TestSubscriber<Signal, Never>.checked())
        Signals.publisher(for: .user1).subscribe(first)
        let caught = disposition(of: .user1)
        XCTAssertNotEqual(caught, ignored)
        Signals.publisher(for: .user1, .user2).subscribe(second)
        first.cancel()
        XCTAssertEqual(disposition(of: .user1), caught)
        second.cancel()
        XCTAssertEqual(disposition(of: .user1), ignored)
        XCTAssertEqual(disposition(of: .user2), 0)
        var byDefault = sigaction()
        byDefault.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(SIGUSR1, &byDefault, nil)
    }

    func test_aSignalWithoutDemandWaitsCoalesced() {
        let double = SignalDouble()
        let centre = double.centre
        let subscriber = TestSubscriber<Signal, Never>.checked()
        Signals.publisher(for: .terminate, .interrupt).brought(to: centre).subscribe(subscriber)
        XCTAssertEqual(double.caught.withLock { $0 }, [SIGINT, SIGTERM])
        for _ in 0..<3 { centre.bring(bits(.terminate)) }
        centre.bring(bits(.interrupt))
        XCTAssertEqual(subscriber.values, [])
        subscriber.request(.max(1))
        XCTAssertEqual(subscriber.values, [.interrupt])
        subscriber.request(.max(5))
        XCTAssertEqual(subscriber.values, [.interrupt, .terminate])
        centre.bring(bits(.terminate))
        centre.bring(bits(.terminate))
        XCTAssertEqual(subscriber.values, [.interrupt, .terminate, .terminate, .terminate])
        subscriber.cancel()
        XCTAssertEqual(double.restored.withLock { $0 }, [SIGINT, SIGTERM])
    }

    func test_aSignalThatComesWhileItIsDeliveredIsOneMore() {
        let double = SignalDouble()
        let centre = double.centre
        let subscriber = TestSubscriber<Signal, Never>.checked(.unlimited) { subscriber, _ in
            if subscriber.values.count < 5 { centre.bring(self.bits(.hangUp)) }
        }
        Signals.publisher(for: .hangUp).brought(to: centre).subscribe(subscriber)
        centre.bring(bits(.hangUp))
        XCTAssertEqual(subscriber.values.count, 5)
        subscriber.cancel()
    }

    func test_demandFromInsideADeliveryIsFlat() {
        let centre = SignalDouble().centre
        let subscriber = TestSubscriber<Signal, Never>.checked(.oneByOneReentrantly)
        Signals.publisher(for: .user1).brought(to: centre).subscribe(subscriber)
        for _ in 0..<10_000 { centre.bring(bits(.user1)) }
        XCTAssertEqual(subscriber.values.count, 10_000)
        subscriber.cancel()
    }

    func test_receivesOnlyWhatItWaitsFor() {
        let centre = SignalDouble().centre
        let subscriber = TestSubscriber<Signal, Never>.checked(.unlimited)
        Signals.publisher(for: .user1).brought(to: centre).subscribe(subscriber)
        centre.bring(bits(.user2, .hangUp))
        XCTAssertEqual(subscriber.values, [])
        subscriber.cancel()
        centre.bring(bits(.user1))
        XCTAssertEqual(subscriber.values, [])
    }

    func test_aSubscriptionThatNobodyHoldsEndsAndRestores() {
        let double = SignalDouble()
        let before = Tracked.count
        do {
            let tracked = Tracked()
            Signals.publisher(for: .user1).brought(to: double.centre)
                .subscribe(
                    AnySubscriber(
                        receiveSubscription: { $0.request(.unlimited) },
                        receiveValue: { _ in withExtendedLifetime(tracked) { .none } }))
        }
        XCTAssertEqual(double.restored.withLock { $0 }, [SIGUSR1])
        XCTAssertEqual(Tracked.count, before)
    }

    func test_releasesItsSubscriberWhenCancelled() {
        let centre = SignalDouble().centre
        let before = Tracked.count
        var subscription: (any Subscription)?
        do {
            let tracked = Tracked()
            Signals.publisher(for: .user1).brought(to: centre)
                .subscribe(
                    AnySubscriber(
                        receiveSubscription: { subscription = $0 },
                        receiveValue: { _ in withExtendedLifetime(tracked) { .none } }))
        }
        XCTAssertEqual(Tracked.count, before + 1)
        subscription?.cancel()
        XCTAssertEqual(Tracked.count, before)
    }

    func test_takesNoDescriptors() {
        let warm = TestSubscriber<Signal, Never>.checked(.unlimited)
        Signals.publisher(for: .user1).subscribe(warm)
        let before = openDescriptorCount()
        let subscribers = (0..<100).map { _ in TestSubscriber<Signal, Never>.checked(.unlimited) }
        for subscriber in subscribers { Signals.publisher(for: .user1).subscribe(subscriber) }
        XCTAssertEqual(openDescriptorCount(), before)
        for subscriber in subscribers + [warm] { subscriber.cancel() }
    }

    func test_namesSignals() {
        XCTAssertEqual("\(Signal.terminate) \(Signal(SIGSEGV)) \(Signal(40))", "SIGTERM SIGSEGV signal 40")
    }

    func test_keepsToTheContract() {
        let centre = SignalDouble().centre
        let publisher = Signals.publisher(for: .user1).brought(to: centre)
        verify(publisher: publisher, .hot, settle: { centre.bring(self.bits(.user1)) })
            .check { XCTFail($0, file: $1, line: $2) }
    }
}
