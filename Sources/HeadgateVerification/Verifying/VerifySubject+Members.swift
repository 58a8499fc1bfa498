import HeadgateCombine
import HeadgateEngine
import HeadgateCore
import HeadgateTesting

/// Effects on other subscribers when one joins or leaves during a delivery.
extension SubjectVerifier {
    /// A subscriber that leaves inside its own delivery does not cost another its value.
    func probeSkipping() -> Finding? {
        let subject = make()
        let listeners = (0..<4).map { number in
            Listener(.unlimited) { listener, value in if value == 1001, number == 1 { listener.cancel() } }
        }
        for listener in listeners { subject.subscribe(listener) }
        subject.send(1001)
        subject.send(1002)
        defer { subject.send(completion: .finished) }
        let expected = [[1001, 1002], [1001], [1001, 1002], [1001, 1002]]
        for (number, listener) in listeners.enumerated() {
            let scene = Scene(
                "four subscribers request everything; send 1001, 1002; subscriber 1 cancels in the first delivery",
                listener)
            if scene.orders == [expected[number]] { continue }
            return scene.broken(.nothingIsLost, "subscriber \(number) of 0 to 3 received \(scene.orders[0])")
        }
        return nil
    }

    /// The completion is delivered in the order of subscriptions.
    func probeOrderOfEnds() -> Finding? {
        let subject = make()
        let log = Guarded<[Int]>([])
        let listeners = (0..<5).map { number in
            AnySubscriber<Int, VerificationFailure>(
                receiveSubscription: { $0.request(.max(1)) }, receiveValue: { _ in .none },
                receiveCompletion: { _ in log.withLock { $0.append(number) } })
        }
        for listener in listeners { subject.subscribe(listener) }
        subject.send(completion: .finished)
        let order = log.withLock { $0 }
        if order == Array(0..<5) { return nil }
        return Scene("five subscribers; finish")
            .broken(.orderOfSubscribers, "subscribers 0 to 4 received the completion in the order \(order)")
    }

    /// A subscriber that another cancels while the completion is being delivered does not receive it.
    func probeLeavingAtTheEnd() -> Finding? {
        let subject = make()
        let second = Listener(.unlimited)
        let first = AnySubscriber<Int, VerificationFailure>(
            receiveSubscription: { $0.request(.unlimited) }, receiveValue: { _ in .none },
            receiveCompletion: { _ in second.cancel() })
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(completion: .finished)
        return Scene("two subscribers; finish; the first cancels the second on receiving it", second).findBreach()
    }

    /// Demand that precedes an upstream reaches that upstream in full.
    func probeLateUpstream() -> Finding? {
        let subject = make()
        let upstream = TestPublisher<Int, VerificationFailure>()
        let listener = Listener(.unlimited)
        subject.subscribe(listener)
        let connection = upstream.attach(subject)
        defer { connection.cancel() }
        let sent = [1001, 1002, 1003].filter { upstream.send($0) }
        let scene = Scene(
            "subscribe and request everything; attach to an upstream; upstream sends three values", listener)
        let received = scene.orders[0]
        subject.send(completion: .finished)
        if sent.count == 3, received == sent { return nil }
        let finding = "an upstream with three values may send \(sent.count), and \(received.count) are received"
        return scene.broken(.demandAddsUp, finding)
    }

    /// A subscriber that joins inside a delivery receives the same as one that joins after it, whichever subscriber is
    /// being called.
    func probeJoining() -> Finding? {
        let after = listen(joiningAt: nil)
        for place in 0..<3 {
            let inside = listen(joiningAt: place)
            if inside.values == after.values, inside.hasFinished { continue }
            let end = inside.hasFinished ? "the completion" : "no completion"
            let script =
                "three subscribers; send 1001; in the delivery to number \(place) of 0 to 2: subscribe; send 1002; finish"
            return Scene(script, inside).broken(
                .subscribingInside,
                "subscribed inside: received \(inside.values) and \(end); subscribed after it: \(after.values)")
        }
        return nil
    }

    private func listen(joiningAt place: Int?) -> Listener {
        let subject = make()
        let newcomer = Listener(.unlimited)
        for number in 0..<3 {
            subject.subscribe(
                Listener(.unlimited) { _, value in
                    if value == 1001, number == place { subject.subscribe(newcomer) }
                })
        }
        subject.send(1001)
        if place == nil { subject.subscribe(newcomer) }
        subject.send(1002)
        subject.send(completion: .finished)
        return newcomer
    }

    /// A subscriber that joins inside a delivery, after a completion was sent in it, receives the completion.
    func probeJoiningAtTheEnd() -> Finding? {
        let subject = make()
        let newcomer = Listener(.unlimited)
        subject.subscribe(
            Listener(.unlimited) { _, value in
                if value != 1001 { return }
                subject.send(completion: .finished)
                subject.subscribe(newcomer)
            })
        subject.send(1001)
        if newcomer.hasFinished, newcomer.breaches.isEmpty { return nil }
        let scene = Scene("subscribe; send; in the delivery: finish, subscribe", newcomer)
        let finding = "a subscriber that joined after the end did not receive the completion"
        return scene.findBreach() ?? scene.broken(.subscribingInside, finding)
    }
}
