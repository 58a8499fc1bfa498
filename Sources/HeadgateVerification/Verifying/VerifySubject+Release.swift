import HeadgateCore
import HeadgateTesting

/// Checks that a subject is released when it is not used any more.
extension SubjectVerifier {
    /// A subject may retain itself while it has subscribers, but not after that.
    func probeReleaseOfTheSubject() -> Finding? {
        // Another owner holds it, so nothing can be observed.
        if isKept(after: { _, _ in }) { return nil }
        let cases: [(name: String, end: (S, [Listener]) -> Void)] = [
            ("both cancel", { _, listeners in listeners.forEach { $0.cancel() } }),
            (
                "in a delivery both cancel",
                { subject, listeners in
                    listeners[0].request(.max(1))
                    subject.send(1001)
                    listeners.forEach { $0.cancel() }
                }
            ),
            ("finish", { subject, _ in subject.send(completion: .finished) }),
        ]
        for (name, end) in cases where isKept(after: end, listenerCount: 2) {
            return .broken(
                .releasesReferences, "the subject is retained without subscribers",
                script: "two subscribers; \(name); release the subject", timeLine: TimeLine())
        }
        return nil
    }

    /// Creates a subject, uses it, and checks whether it still exists when it has been released.
    private func isKept(after use: (S, [Listener]) -> Void, listenerCount: Int = 0) -> Bool {
        weak let watched = subscribeAndUse(listenerCount, use)
        return !waitUntil(timeout: effort.timeout) { watched == nil }
    }

    @inline(never) private func subscribeAndUse(_ count: Int, _ use: (S, [Listener]) -> Void) -> S? {
        let subject = make()
        let listeners = (0..<count).map { _ in
            Listener { listener, _ in listener.cancel() }
        }
        for listener in listeners { subject.subscribe(listener) }
        use(subject, listeners)
        return subject
    }
}
