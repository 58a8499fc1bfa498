import Glibc
import HeadgateCore
import HeadgateSystem
import HeadgateTesting
import TestSupport
import XCTest

final class SignalsConcurrencyTests: XCTestCase {
    func test_theLastSignalIsNeverMissed() {
        let subscriber = TestSubscriber<Signal, Never>.checked(.oneByOne)
        Signals.publisher(for: .user1).subscribe(subscriber)
        for _ in 0..<Scale.reduced(500) {
            let before = subscriber.values.count
            kill(getpid(), SIGUSR1)
            eventually { subscriber.values.count > before }
        }
        subscriber.cancel()
    }

    func test_subscribingAndCancellingWhileSignalsCome() {
        // Held throughout, or the first signal between two others would end the process.
        let guardian = TestSubscriber<Signal, Never>.checked(.unlimited)
        Signals.publisher(for: .user2).subscribe(guardian)
        onThreads(3) { number in
            for _ in 0..<Scale.reduced(200) {
                if number == 0 {
                    kill(getpid(), SIGUSR2)
                } else {
                    let subscriber = TestSubscriber<Signal, Never>.checked()
                    Signals.publisher(for: .user2).subscribe(subscriber)
                    subscriber.request(.max(2))
                    subscriber.cancel()
                }
            }
        }
        let before = guardian.values.count
        kill(getpid(), SIGUSR2)
        eventually { guardian.values.count > before }
        guardian.cancel()
    }

    func test_demandFromTwoThreadsLosesNoSignal() {
        let subscriber = TestSubscriber<Signal, Never>.checked()
        Signals.publisher(for: .user1, .user2).subscribe(subscriber)
        for round in 1...Scale.reduced(300) {
            onThreads(2) { number in
                if number == 0 { kill(getpid(), SIGUSR1) } else { subscriber.request(.max(1)) }
            }
            eventually { subscriber.values.count == round }
        }
        subscriber.cancel()
    }
}
