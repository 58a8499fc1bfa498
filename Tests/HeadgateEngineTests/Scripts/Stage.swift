import HeadgateCombine
import HeadgateEngine
import TestSupport

/// What two publishers and their subscriber can do.
enum StageAct: CaseIterable {
    case first, second, firstFinish, secondFinish, firstFailure, request, requestEverything, cancel
}

/// Two publishers that keep to the contract: they send what was requested, and say nothing inside a delivery of
/// their own.
final class Stage {
    var lastActDidSomething = false

    private let send: (Int, Int) -> Void
    private let end: (Int, Subscribers.Completion<TestFailure>) -> Void
    private let requested: (Int) -> Subscribers.Demand?
    private let request: (Subscribers.Demand) -> Void
    private let cancel: () -> Void
    private(set) var sent = [0, 0]
    private var isSending = [false, false]

    init(
        send: @escaping (Int, Int) -> Void,
        end: @escaping (Int, Subscribers.Completion<TestFailure>) -> Void,
        requested: @escaping (Int) -> Subscribers.Demand?, request: @escaping (Subscribers.Demand) -> Void,
        cancel: @escaping () -> Void
    ) {
        self.send = send
        self.end = end
        self.requested = requested
        self.request = request
        self.cancel = cancel
    }

    /// What was requested of a publisher and has not been sent.
    func expected(_ index: Int) -> Subscribers.Demand {
        (requested(index) ?? .none) - sent[index]
    }

    func act(_ act: StageAct) {
        lastActDidSomething = true
        switch act {
        case .first: sendNext(0)
        case .second: sendNext(1)
        case .firstFinish: end(0, with: .finished)
        case .secondFinish: end(1, with: .finished)
        case .firstFailure: end(0, with: .failure(.first))
        case .request: request(.max(1))
        case .requestEverything: request(.unlimited)
        case .cancel: cancel()
        }
    }

    private func sendNext(_ index: Int) {
        guard !isSending[index], let requested = requested(index), requested > sent[index] else {
            lastActDidSomething = false
            return
        }
        sent[index] += 1
        isSending[index] = true
        send(index, index * 10 + sent[index])
        isSending[index] = false
    }

    private func end(_ index: Int, with completion: Subscribers.Completion<TestFailure>) {
        if isSending[index] || requested(index) == nil {
            lastActDidSomething = false
        } else {
            end(index, completion)
        }
    }
}
