import HeadgateCombine
import HeadgateCore
import HeadgateTesting

/// What several subscribers receive, and in which order, when one sends, joins or leaves during a delivery.
extension SubjectVerifier {
    /// Sends from inside a delivery, or meanwhile on another thread, and waits for that in the delivery: every
    /// subscriber must receive the same order.
    func probeOrder(onAnotherThread: Bool) -> Finding? {
        let subject = make()
        // The first subscriber retains the subject, which retains the subscriber.
        defer { subject.send(completion: .finished) }
        var isStuck = false
        let first = Listener(.unlimited) { _, value in
            let send = { subject.send(1002) }
            if value != 1001 { return }
            if !onAnotherThread { send() } else if !runSideBySide([send], timeout: effort.timeout) { isStuck = true }
        }
        let sending =
            onAnotherThread
            ? "in the first delivery, on another thread: send 1002" : "the first sends 1002 in the delivery"
        let scene = Scene(
            "two subscribers request everything; send 1001; \(sending)", subject, [first, Listener(.unlimited)])
        subject.send(1001)
        if isStuck {
            return scene.broken(.noLockHeld, "send(_:) on another thread waits for the delivery to return")
        }
        let orders = scene.orders
        let disorder =
            orders[0] == orders[1]
            ? nil : scene.broken(.oneOrderForAll, "the first received \(orders[0]), the second \(orders[1])")
        let breach = scene.findBreach()
        if let finding = onAnotherThread ? breach ?? disorder : disorder ?? breach { return finding }
        return orders[0] == [1001, 1002] ? nil : scene.broken(.nothingIsLost, "both received \(orders[0])")
    }

    /// Subscribers are served in the order of their subscriptions, with values and with the completion, even after
    /// others have left.
    func probeService() -> Finding? {
        let subject = make()
        let log = Guarded<[Int]>([])
        let listeners = (0..<5).map { number in
            Listener(
                .unlimited, onValue: { _, value in if value > 1000 { log.withLock { $0.append(number) } } },
                onCompletion: { _, _ in log.withLock { $0.append(number) } })
        }
        let scene = Scene("five subscribers; the second cancels; send; finish", subject, listeners)
        listeners[1].cancel()
        subject.send(1001)
        let served = log.withLock { exchange(&$0, with: []) }
        subject.send(completion: .finished)
        let ended = log.withLock { $0 }
        for (order, what) in [(served, "were served"), (ended, "received the completion")]
        where order != [0, 2, 3, 4] {
            return scene.broken(.orderOfSubscribers, "subscribers 0 to 4 without 1 \(what) in the order \(order)")
        }
        return nil
    }

    /// A subscriber that joins after the end receives the completion.
    func probeEnd() -> Finding? {
        let subject = make()
        subject.send(completion: .failure(.upstreamFailed))
        subject.send(completion: .finished)
        subject.send(1001)
        let late = Listener(.unlimited)
        let scene = Scene("fail; finish; send; subscribe", subject, [late])
        if let breach = late.breaches.first(where: { $0.rule == .oneSubscription }) {
            return scene.broken(breach.rule, breach.finding)
        }
        if !late.isSubscribed {
            return scene.broken(.oneSubscription, "a subscriber that joins after the end receives no subscription")
        }
        if late.failure == .upstreamFailed, late.breaches.isEmpty, !late.values.contains(1001) { return nil }
        return scene.broken(.ignoresLateEvents, "a subscriber that joins after the failure receives something else")
    }

    /// A subscriber that another cancels during a delivery, of a value or of the completion, receives nothing more.
    func probeLeaving(atTheEnd: Bool) -> Finding? {
        let subject = make()
        let second = Listener(.unlimited)
        let first = Listener(
            .unlimited, onValue: { _, value in if value == 1001 { second.cancel() } },
            onCompletion: { _, _ in second.cancel() })
        let sending = atTheEnd ? "finish" : "send"
        let scene = Scene(
            "two subscribers request everything; \(sending); the first cancels the second in the delivery", subject,
            [first, second])
        if !atTheEnd {
            subject.send(1001)
            subject.send(1002)
        }
        subject.send(completion: .finished)
        return scene.findBreach()
    }

    /// A subscriber that leaves inside its own delivery does not cost another its value.
    func probeSkipping() -> Finding? {
        let subject = make()
        let listeners = (0..<4).map { number in
            Listener(.unlimited) { listener, value in if value == 1001, number == 1 { listener.cancel() } }
        }
        let scene = Scene(
            "four subscribers request everything; send 1001, 1002; subscriber 1 cancels in the first delivery", subject,
            listeners)
        subject.send(1001)
        subject.send(1002)
        defer { subject.send(completion: .finished) }
        for (number, order) in scene.orders.enumerated() where order != (number == 1 ? [1001] : [1001, 1002]) {
            let finding = "subscriber \(number) of 0 to 3 received \(order)"
            return scene.broken(.nothingIsLost, finding, of: listeners[number])
        }
        return nil
    }

    /// Demand reaches in full an upstream to which the subject is attached, before or after it is requested, and the
    /// end cancels that upstream.
    func probeUpstream(isLate: Bool) -> Finding? {
        let subject = make()
        let upstream = TestPublisher<Int, VerificationFailure>()
        var connection: AnyCancellable?
        defer { connection?.cancel() }
        if !isLate { connection = upstream.attach(subject) }
        let steps = ["attach to an upstream; ", "subscribe and request everything; "]
        let scene = Scene(
            (isLate ? steps.reversed() : steps).joined() + "upstream sends three values; finish", subject,
            [Listener(.unlimited)])
        if isLate { connection = upstream.attach(subject) }
        let sent = [1001, 1002, 1003].filter { upstream.send($0) }
        let received = scene.orders[0]
        subject.send(completion: .finished)
        if sent.count < 3 || received != sent {
            let finding = "an upstream with three values may send \(sent.count), and \(received.count) are received"
            return scene.broken(.demandAddsUp, sent.isEmpty ? "demand did not reach upstream" : finding)
        }
        if upstream.cancelCount == 1 { return nil }
        return scene.broken(
            .cancelReachesUpstream, "at the end, upstream was cancelled \(upstream.cancelCount) times")
    }

    /// A subscriber that joins inside a delivery receives the same as one that joins after it, whichever subscriber is
    /// being called.
    func probeJoining() -> Finding? {
        let after = listen(joiningAt: nil)
        for place in 0..<3 {
            let inside = listen(joiningAt: place)
            if inside.values == after.values, inside.hasFinished { continue }
            let end = inside.hasFinished ? "the completion" : "no completion"
            return .broken(
                .subscribingInside,
                "subscribed inside: received \(inside.values) and \(end); subscribed after it: \(after.values)",
                script:
                    "three subscribers; send 1001; in the delivery to number \(place) of 0 to 2: subscribe; send 1002; finish",
                timeLine: inside.timeLine())
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
        let breach =
            newcomer.breaches.first
            ?? Breach(.subscribingInside, "a subscriber that joined after the end did not receive the completion")
        return .broken(
            breach.rule, breach.finding, script: "subscribe; send; in the delivery: finish, subscribe",
            timeLine: newcomer.timeLine())
    }
}
