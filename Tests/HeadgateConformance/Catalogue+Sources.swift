import Dispatch
import Foundation
import Headgate
import HeadgateControls
import HeadgateFoundation
import HeadgateTesting
import HeadgateTestingTimers
import HeadgateVerification

extension Candidate {
    /// Like a subject.
    private static let shared: Capabilities = [.hot, .holdsSubscribers]

    static var creating: Family<Candidate> {
        Family(
            "Creating",
            [
                .publisher("(1...6).publisher", .finite) { (1...6).publisher },
                .publisher("(1...).publisher", .unbounded) { (1...).publisher },
                .publisher("Optional.publisher", .finite) { Int?.some(1).publisher },
                .publisher("Result.publisher", [.finite, .fails]) {
                    Result<Int, VerificationFailure>.failure(.upstreamFailed).publisher
                },
                .publisher("Just", .finite) { Just(1) },
                .publisher("Always", .unbounded) { Always(1) },
                .publisher("Empty", .finite) { Empty<Int, VerificationFailure>() },
                .publisher("Empty(completeImmediately: false)") { silence },
                .publisher("Fail", [.finite, .fails]) { Fail<Int, VerificationFailure>(error: .upstreamFailed) },
                .publisher("Deferred", .finite) { Deferred { (1...4).publisher } },
                .publisher("Record", .finite) { Record<Int, Never>(output: [1, 2, 3, 4], completion: .finished) },
                .publisher("Future, kept at once", .finite) { Future<Int, Never> { $0(.success(1)) } },
                .timedPublisher("Future, kept later", .finite) { scheduler in
                    Future<Int, Never> { keep in scheduler.schedule { keep(.success(1)) } }
                },
            ])
    }

    static var simulating: Family<Candidate> {
        let button = Button()
        let clock = VirtualMediaClock()
        let player = MediaPlayer(duration: .infinity, clock: clock)
        player.play()
        let holder = HoldValue(0)
        let finishing = HoldValue(0, finishesWhenDemandIsServed: true)
        return Family(
            "Simulating",
            [
                .timedPublisher("Publishers.timer", .hot) { Publishers.timer(scheduler: $0, interval: .seconds(1)) },
                .timedPublisher("Publishers.timer(times: 6)", .finite) {
                    // The times of ticks differ between runs; their number does not.
                    Publishers.timer(scheduler: $0, interval: .seconds(1), times: .max(6)).map { _ in "tick" }
                },
                .publisher("Control.publisher(for:)", .hot, settle: { button.press() }) {
                    button.publisher(for: .primaryActionTriggered)
                },
                .publisher("playheadProgressPublisher", .hot, settle: { clock.advance(by: 1) }) {
                    player.playheadProgressPublisher(interval: 0.25)
                },
                .publisher("HoldValue", shared, settle: { holder.value += 1 }) { holder.publisher },
                .publisher("HoldValue(finishesWhenDemandIsServed:)", shared, settle: { finishing.value += 1 }) {
                    finishing.publisher
                }
                .excusing(.exhaustedDemandDoesNotComplete, because: "it is made to finish when demand is served"),
            ])
    }

    static var notifying: Family<Candidate> {
        let center = NotificationCenter()
        let name = Notification.Name("news")
        let meter = Meter()
        return Family(
            "Notifying",
            [
                .publisher(
                    "NotificationCenter.publisher(for:)", .hot, settle: { center.post(name: name, object: nil) }
                ) {
                    center.publisher(for: name)
                },
                .publisher("@Published", shared, settle: { meter.level += 1 }) { meter.$level },
                .publisher("objectWillChange", shared, settle: { meter.level += 1 }) { meter.objectWillChange }
                    .excusing(.valuesAgainstDemand, because: "it reports each change, as in Combine")
                    .excusing(.demandAddsUp, because: "it reports each change, as in Combine"),
            ])
    }

    static var subjects: Family<Candidate> {
        Family(
            "Subjects",
            [
                .subject("PassthroughSubject") { PassthroughSubject<Int, VerificationFailure>() },
                .subject("CurrentValueSubject") { CurrentValueSubject<Int, VerificationFailure>(0) },
            ])
    }

    static var subscribers: Family<Candidate> {
        Family(
            "Subscribers",
            [
                .subscriber("sink", failure: VerificationFailure.upstreamFailed) {
                    Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: { _ in })
                },
                .subscriber("assign(to:on:)") { Subscribers.Assign(object: Meter(), keyPath: \.level) },
            ])
    }
}

private final class Meter: ObservableObject {
    @Published var level = 0
}
