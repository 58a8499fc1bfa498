import Headgate
import HeadgateTesting
import HeadgateVerification

extension Candidate {
    /// All publishers, operators, subjects and subscribers, by family.
    ///
    /// Those that need a network or a run loop, and therefore real time, are left out: `URLSession.dataTaskPublisher`
    /// and `Timer.publish`.
    static var catalogue: [Family<Candidate>] {
        rows.map { Family($0.title, $0.members.map(\.excusedForItsDemand.excusedForItsOrder)) }
    }

    /// The catalogue, of which operators with requests of their own are not yet excused.
    static var rows: [Family<Candidate>] {
        [
            creating, simulating, notifying, subjects, subscribers,
            transforming, filtering, trimming, selecting, reducing, matching, observing,
            recovering, joining, combining, flattening, buffering, sharing,
            scheduling, timing,
            system, sockets,
            bridging, awaiting, actors,
            flatteningFurther, combiningFurther, controllingFlow, grouping, spreading,
        ]
            + resilience
    }

    /// A few numbers, and the completion.
    static func numbers(_ count: Int) -> Upstream {
        (0..<count).publisher.setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
    }

    /// A stream that never publishes.
    static var silence: Empty<Int, VerificationFailure> { Empty(completeImmediately: false) }
}
