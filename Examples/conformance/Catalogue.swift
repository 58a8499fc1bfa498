import Headgate
import HeadgateTesting

extension Candidate {
    /// Everything that Headgate has to publish, by family.
    ///
    /// Left out is what needs a network or a run loop, and with them time that passes: `URLSession.dataTaskPublisher` and
    /// `Timer.publish`.
    static var catalogue: [Family<Candidate>] {
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

    /// A few numbers, and the end.
    static func numbers(_ count: Int) -> Upstream {
        (0..<count).publisher.setFailureType(to: VerificationFailure.self).eraseToAnyPublisher()
    }

    /// Nothing, for ever.
    static var silence: Empty<Int, VerificationFailure> { Empty(completeImmediately: false) }
}
