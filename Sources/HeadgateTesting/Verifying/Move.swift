import HeadgateCore

/// One thing that the verifier does.
enum Move: Hashable, Sendable {
    /// The subscriber asks on hearing its subscription; only at the beginning of a script.
    case begin(Subscribers.Demand)

    /// The subscriber asks on hearing its subscription, and cancels there and then; only at the beginning of a script.
    case beginCancelling(Subscribers.Demand)

    /// The subscriber asks, from outside any delivery.
    case request(Subscribers.Demand)

    /// The subscriber cancels, from outside any delivery.
    case cancel

    /// The subscriber will react so to the next value for which nothing is arranged yet.
    case react(Reaction)

    /// An upstream has a value, and delivers it if it may.
    case send(from: Int = 0)

    /// An upstream finishes.
    case finish(Int = 0)

    /// An upstream fails.
    case fail(Int = 0)

    /// Time passes until nothing waits on the scheduler any more.
    case wait
}

extension Move: CustomStringConvertible {
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

    /// The name of an upstream: the first has none, for most have no other beside them.
    private static func upstream(_ number: Int) -> String { number == 0 ? "upstream" : "upstream \(number + 1)" }
}

extension Array where Element == Move {
    /// What is asked for on hearing the subscription.
    var initialDemand: Subscribers.Demand {
        switch first {
        case .begin(let demand), .beginCancelling(let demand): demand
        default: .none
        }
    }

    /// Whether the subscriber cancels on hearing the subscription.
    var cancelsAtOnce: Bool { if case .beginCancelling? = first { true } else { false } }

    /// The moves in words.
    var sentence: String {
        isEmpty ? "subscribe" : "subscribe; " + map(\.description).joined(separator: "; ")
    }
}
