import Headgate
import HeadgateCore
import HeadgateEngine
import HeadgateTesting
import HeadgateVerification
import TestSupport
import XCTest

/// What a test does to the conduit, from outside or from inside the delivery of the value that it sends.
private enum Move: CaseIterable {
    case send, finish, request, cancel, release
    case sendThenRequestInside, sendThenCancelInside, sendThenAnswer, sendThenSendInside, sendThenFinishInside
    case sendThenReleaseInside

    /// Without what is done from inside, except for requesting and answering.
    static let principal: [Move] = [
        .send, .finish, .request, .cancel, .release, .sendThenRequestInside, .sendThenAnswer,
    ]
}

private enum Note: Equatable {
    case value(Int), dropped(Int), reported(Subscribers.Demand), cancelled, finished, failed
    case overlap
}

private enum Full: CaseIterable {
    case dropOldest, dropNewest, fail
}

/// The conduit as it should be, on one thread: one list of what waits, of which as many are due as have been requested.
private struct Model {
    let capacity: Int
    let whenFull: Full
    var notes: [Note] = []
    var answers: [Emitter<Int, TestFailure>.Answer] = []
    var waiting: [(value: Int, move: Move)] = []
    var outstanding = 0
    var unreported = 0
    var count = 0
    var ending: Note?
    var isOver = false
    /// Whether the subscriber has its subscription, without which it can only answer.
    var hasSubscription = true
    var isReleased = false
    var isDelivering = false
    var isRequesting = false

    mutating func perform(_ move: Move) {
        defer { if !isDelivering { isRequesting = false } }
        switch move {
        case .request:
            isRequesting = true
            request()
        case .finish: if !isOver, ending == nil { ending = .finished }
        case .cancel: cancel()
        case .release: (hasSubscription, isReleased) = (false, true)
        default: send(move)
        }
        if isDelivering { return }
        deliver()
        if unreported > 0, !isOver { notes.append(.reported(.max(unreported))) }
        unreported = 0
        // A request retains the subscription until it returns.
        if !hasSubscription, !isReleased {
            isReleased = true
            deliver()
        }
    }

    mutating func send(_ move: Move) {
        count += 1
        if isOver || ending != nil { return answer(.finished) }
        if waiting.count < outstanding + capacity {
            let isDue = waiting.count < outstanding
            waiting.append((count, move))
            return answer(isDue ? .sent : .buffered)
        }
        switch whenFull {
        case .dropOldest where capacity > 0:
            notes.append(.dropped(waiting.remove(at: outstanding).value))
            waiting.append((count, move))
            answer(.buffered)
        case .dropOldest, .dropNewest:
            notes.append(.dropped(count))
            answer(.dropped)
        case .fail:
            ending = .failed
            notes.append(.dropped(count))
            answer(.dropped)
        }
    }

    mutating func answer(_ answer: Emitter<Int, TestFailure>.Answer) { answers.append(answer) }

    mutating func request() {
        if isOver { return }
        outstanding += 1
        unreported += 1
    }

    mutating func cancel() {
        if isOver { return }
        isOver = true
        waiting = []
        notes.append(.cancelled)
    }

    mutating func deliver() {
        isDelivering = true
        while outstanding > 0, !waiting.isEmpty {
            let (value, move) = waiting.removeFirst()
            outstanding -= 1
            notes.append(.value(value))
            switch move {
            case .sendThenAnswer: request()
            case .sendThenRequestInside: if hasSubscription { request() }
            case .sendThenCancelInside: if hasSubscription { cancel() }
            case .sendThenSendInside: send(.send)
            case .sendThenFinishInside: perform(.finish)
            case .sendThenReleaseInside:
                hasSubscription = false
                isReleased = isReleased || !isRequesting
            default: break
            }
        }
        isDelivering = false
        if isOver { return }
        if let ending, waiting.isEmpty {
            isOver = true
            if ending == .failed { notes.append(.cancelled) }
            notes.append(ending)
        } else if isReleased, outstanding == 0 {
            cancel()
        }
    }
}

/// The conduit itself, and a subscriber that does what the move of a value says.
private final class Rig: Subscriber {
    var notes: [Note] = []
    var answers: [Emitter<Int, TestFailure>.Answer] = []
    var moves: [Move] = [.send]
    var isReceiving = false
    var subscription: (any Subscription)?
    weak var conduit: EmitterConduit<Int, TestFailure>?
    var emitting: EmitterConduit<Int, TestFailure>?

    static func make(capacity: Int, whenFull: Full) -> Rig {
        let rig = Rig()
        let rule: EmitterConduit<Int, TestFailure>.Overflow =
            switch whenFull {
            case .dropOldest: .dropOldest
            case .dropNewest: .dropNewest
            case .fail: .fail(.first)
            }
        let conduit = EmitterConduit<Int, TestFailure>(capacity: capacity, whenFull: rule, AnySubscriber(rig))
        SourceSubscription(conduit, name: "Test", isPatient: false).send(to: rig)
        conduit.onDrop { [unowned rig] in rig.notes.append(.dropped($0)) }
        conduit.onCancel { [unowned rig] in rig.notes.append(.cancelled) }
        conduit.onRequest { [unowned rig] in rig.notes.append(.reported($0)) }
        (rig.emitting, rig.conduit) = (conduit, conduit)
        return rig
    }

    func perform(_ move: Move) {
        switch move {
        case .finish: emitting?.finish(.finished)
        case .request: subscription?.request(.max(1))
        case .cancel: subscription?.cancel()
        case .release: subscription = nil
        default: send(move)
        }
    }

    func send(_ move: Move) {
        moves.append(move)
        let index = answers.count
        answers.append(.finished)
        if let answer = emitting?.send(moves.count - 1) { answers[index] = answer }
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        if isReceiving { notes.append(.overlap) }
        isReceiving = true
        defer { isReceiving = false }
        notes.append(.value(input))
        switch moves[input] {
        case .sendThenRequestInside: subscription?.request(.max(1))
        case .sendThenCancelInside: subscription?.cancel()
        case .sendThenSendInside: send(.send)
        case .sendThenFinishInside: emitting?.finish(.finished)
        case .sendThenReleaseInside: subscription = nil
        case .sendThenAnswer: return .max(1)
        default: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<TestFailure>) {
        if isReceiving { notes.append(.overlap) }
        notes.append(completion == .finished ? .finished : .failed)
    }
}

final class EmitterConduitTests: XCTestCase {
    /// Plays every script to the conduit and to its model.
    private func playAll(_ moves: [Move], upTo length: Int, capacity: Int, _ whenFull: Full, line: UInt = #line) {
        explore(moves, upTo: length, line: line) { script in
            var model = Model(capacity: capacity, whenFull: whenFull)
            let rig = Rig.make(capacity: capacity, whenFull: whenFull)
            var isReleased = false
            for move in script {
                // Who has released the subscription can no longer use it.
                if isReleased, [.request, .cancel, .release].contains(move) { continue }
                model.perform(move)
                rig.perform(move)
                isReleased = rig.subscription == nil
            }
            try expect("notes", rig.notes, model.notes)
            try expect("answers", rig.answers, model.answers)
            rig.subscription = nil
            rig.emitting = nil
            if rig.conduit != nil { throw Difference("somebody keeps the conduit") }
            return .open
        }
    }

    func test_keepsToTheModelInEveryOrderOfFiveMovesWhateverIsKept() {
        for whenFull in Full.allCases {
            for capacity in 0...2 { playAll(Move.principal, upTo: 5, capacity: capacity, whenFull) }
        }
    }

    func test_keepsToTheModelInEveryOrderOfFourMovesWithWorkFromInside() {
        for whenFull in Full.allCases { playAll(Move.allCases, upTo: 4, capacity: 1, whenFull) }
        playAll(Move.allCases, upTo: 4, capacity: .max / 2, .dropNewest)
    }
}
