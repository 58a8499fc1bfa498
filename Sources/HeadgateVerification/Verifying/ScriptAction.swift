import HeadgateCore
import HeadgateTesting

/// One action of a script.
enum ScriptAction: Hashable, Sendable {
    /// The subscriber requests on receiving its subscription; only at the beginning of a script.
    case begin(Subscribers.Demand)

    /// The subscriber requests on receiving its subscription, and cancels immediately; only at the beginning of a
    /// script.
    case beginCancelling(Subscribers.Demand)

    /// The subscriber requests, from outside any delivery.
    case request(Subscribers.Demand)

    /// The subscriber cancels, from outside any delivery.
    case cancel

    /// The subscriber will react like this to the next value without a planned reaction.
    case react(Reaction)

    /// An upstream has a value, and delivers it if there is demand.
    case send(from: Int = 0)

    /// An upstream finishes.
    case finish(Int = 0)

    /// An upstream fails.
    case fail(Int = 0)

    /// Time passes until nothing is pending on the scheduler.
    case wait
}

extension ScriptAction: CustomStringConvertible {
    var description: String {
        switch self {
        case .begin(let demand): "at once: request \(demand.figure)"
        case .beginCancelling(.none): "at once: cancel"
        case .beginCancelling(let demand): "at once: request \(demand.figure), cancel"
        case .request(let demand): "request \(demand.figure)"
        case .cancel: "cancel"
        case .react(.nothing): "in a delivery: nothing"
        case .react(.answer(let demand)): "in a delivery: answer \(demand.figure)"
        case .react(.request(let demand)): "in a delivery: request \(demand.figure)"
        case .react(.cancel): "in a delivery: cancel"
        case .react(.requestElsewhere(let demand)): "in a delivery, on another thread: request \(demand.figure)"
        case .react(.cancelElsewhere): "in a delivery, on another thread: cancel"
        case .send(let number): "\(Self.upstream(number)) sends"
        case .finish(let number): "\(Self.upstream(number)) finishes"
        case .fail(let number): "\(Self.upstream(number)) fails"
        case .wait: "time passes"
        }
    }

    var isReaction: Bool { if case .react = self { true } else { false } }

    var isOfUpstream: Bool {
        switch self {
        case .send, .finish, .fail: true
        case .begin, .beginCancelling, .request, .cancel, .react, .wait: false
        }
    }

    /// Whether an upstream completes.
    var isOfEnd: Bool {
        switch self {
        case .finish, .fail: true
        case .begin, .beginCancelling, .request, .cancel, .react, .send, .wait: false
        }
    }

    /// The name of an upstream; the first has no number, since most scripts have only one.
    private static func upstream(_ number: Int) -> String { number == 0 ? "upstream" : "upstream \(number + 1)" }
}

extension Array where Element == ScriptAction {
    /// The demand requested on receiving the subscription.
    var initialDemand: Subscribers.Demand {
        switch first {
        case .begin(let demand), .beginCancelling(let demand): demand
        default: .none
        }
    }

    /// Whether the subscriber cancels on receiving the subscription.
    var cancelsAtOnce: Bool { if case .beginCancelling? = first { true } else { false } }

    /// The script in words.
    var sentence: String {
        isEmpty ? "subscribe" : "subscribe; " + map(\.description).joined(separator: "; ")
    }
}
