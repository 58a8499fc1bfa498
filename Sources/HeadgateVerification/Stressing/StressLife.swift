import HeadgateCore
import Synchronization
import HeadgateTesting

/// What happens in one short stream.
struct StressLifePlan {
    enum Ending { case finish, failure, none }

    /// How many values there are.
    let valueCount: Int

    /// After how many of them another thread continues.
    let handover: Int

    let ending: Ending

    /// How often each of the threads that cancel yields first.
    let cancellations: [Int]

    /// Everything on one thread, and without a cancellation.
    static let calm = StressLifePlan(valueCount: .max, handover: .max, ending: .finish, cancellations: [])
}

extension StressLifePlan {
    init(_ count: Int, canFail: Bool, using generator: inout SeededGenerator) {
        valueCount = Int.random(in: 0...count, using: &generator)
        handover = Int.random(in: 0...count, using: &generator)
        let endings: [Ending] = canFail ? [.finish, .failure, .none] : [.finish, .none]
        ending = endings[Int.random(in: 0..<endings.count, using: &generator)]
        let cancellationCount = Int.random(in: 0..<3, using: &generator)
        cancellations = (0..<cancellationCount).map { _ in max(0, Int.random(in: -2..<4, using: &generator)) }
    }

    func sentence(callsElse: Bool) -> String {
        let end: String? =
            switch ending {
            case .finish: "finish"
            case .failure: "fail"
            case .none: nil
            }
        let cancelling = [nil, "meanwhile another thread cancels", "meanwhile two other threads cancel"]
        let parts = [
            "subscribe", "at most \(valueCount) values", end, cancelling[cancellations.count],
            callsElse ? "another calls what it was given" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }
}

/// One short stream of a subscriber under stress.
final class StressLife<S: Subscriber>: @unchecked Sendable {
    // Threads take turns by the baton, or use only what is atomic; the subscriber is under test.

    let subscriber: S
    let plan: StressLifePlan

    private let account = StressAccount()
    private weak var subscription: StressSubscription?
    private var hasEnded = false

    /// How many values were delivered.
    private(set) var acceptedCount = 0

    /// Whether the second thread may continue.
    private let baton = Atomic(false)

    /// Whether other threads cancel.
    private let isCancelledByOthers: Bool

    init(_ subscriber: S, _ plan: StressLifePlan) {
        self.subscriber = subscriber
        self.plan = plan
        isCancelledByOthers = subscriber is any Cancellable && !plan.cancellations.isEmpty
    }

    /// Sends the subscription and the first values.
    func begin(_ values: [S.Input]) {
        let subscription = StressSubscription(account)
        self.subscription = subscription
        subscriber.receive(subscription: subscription)
        send(values, upTo: min(plan.handover, plan.valueCount))
        baton.store(true, ordering: .releasing)
    }

    /// Sends further values, and the completion if others cancel meanwhile.
    func `continue`(_ values: [S.Input], _ failure: S.Failure?, unless isOver: () -> Bool) {
        while !baton.load(ordering: .acquiring) {
            if isOver() { return }
            yieldThread(times: 1)
        }
        send(values, upTo: plan.valueCount)
        // Without a cancellation, demand may still come.
        if isCancelledByOthers { end(failure) }
    }

    /// Cancels on one of the threads that may do so.
    func cancel(_ number: Int) {
        guard plan.cancellations.indices.contains(number), let cancellable = subscriber as? any Cancellable else {
            return
        }
        yieldThread(times: plan.cancellations[number])
        cancellable.cancel()
    }

    private func send(_ values: [S.Input], upTo limit: Int) {
        while acceptedCount < min(limit, values.count), !account.isCancelled, account.takeOne() {
            acceptedCount += 1
            account.add(subscriber.receive(values[acceptedCount - 1]))
        }
    }

    private func end(_ failure: S.Failure?) {
        if hasEnded || account.isCancelled { return }
        switch (plan.ending, failure) {
        case (.none, _): return
        case (.failure, let failure?): subscriber.receive(completion: .failure(failure))
        case (.failure, nil), (.finish, _): subscriber.receive(completion: .finished)
        }
        hasEnded = true
    }

    /// Sends what is left when no other thread calls any more, and checks what has happened.
    ///
    /// - Parameter calmCount: The number of values that the subscriber takes without other threads.
    /// - Returns: The rules that were broken.
    func finish(_ values: [S.Input], _ failure: S.Failure?, calmCount: Int) -> [Breach] {
        send(values, upTo: plan.valueCount)
        end(failure)
        var breaches: [Breach] = []
        let cancelCount = account.cancelCount
        if cancelCount > 1 {
            breaches.append(Breach(.cancelReachesUpstream, "the publisher was cancelled \(cancelCount) times"))
        } else if isCancelledByOthers, !hasEnded, cancelCount == 0 {
            breaches.append(Breach(.cancelReachesUpstream, "cancel() did not reach the publisher"))
        }
        if !isCancelledByOthers, acceptedCount < min(calmCount, plan.valueCount), cancelCount == 0 {
            let finding =
                "it takes \(acceptedCount) of \(plan.valueCount) values, and without other threads "
                + "\(min(calmCount, plan.valueCount))"
            breaches.append(Breach(.demandAddsUp, finding))
        }
        if isCancelledByOthers || hasEnded || cancelCount > 0, subscription != nil {
            breaches.append(Breach(.releasesReferences, "the subscription is retained"))
        }
        return breaches
    }
}
