import HeadgateCore
import HeadgateTesting

/// What a subscriber receives that joins after values: nothing, or a replay.
extension SubjectVerifier {
    /// Tries scripts with a subscriber that joins after three values.
    ///
    /// A replay needs demand as every value does. While nothing else is sent, it is a source like any other, which
    /// serves every request; what is sent meanwhile may be dropped, but must not overtake or disturb it.
    func searchReplay(_ verification: inout Verification, _ effort: Effort) {
        let pasts: [(script: String, end: Subscribers.Completion<VerificationFailure>?, Capabilities)] = [
            ("send 1, 2, 3; ", nil, []), ("send 1, 2, 3; finish; ", .finished, .finite),
            ("send 1, 2, 3; fail; ", .failure(.upstreamFailed), [.finite, .fails]),
        ]
        for (script, end, capabilities) in pasts {
            let replay = makeRunner(capabilities, after: script) {
                var fixture = makeFixture(of: subject(after: end), first: 4)
                fixture.source = nil
                return fixture
            }
            verification.take(replay.probeReference() + replay.probe().filter { $0.rule != .droppedSubscription })
            verification.search(replay, effort.divided(by: 4))
        }
        let live = makeRunner(.dropsUnasked, after: pasts[0].script) {
            makeFixture(of: subject(after: nil), first: 4)
        }
        verification.take(live.probeReference())
        verification.search(live, effort.divided(by: 4))
    }

    private func subject(after end: Subscribers.Completion<VerificationFailure>?) -> S {
        let subject = make()
        for value in 1...3 { subject.send(value) }
        if let end { subject.send(completion: end) }
        return subject
    }
}
