import HeadgateCombine
import HeadgateEngine
import XCTest

/// What a subscriber does, from outside a delivery or inside the next one, where `nil` is unlimited demand.
enum ScriptAction: Equatable {
    case request(Int?)
    case cancel
    case insideNextDelivery(Reaction)

    enum Reaction: Equatable {
        case request(Int?)
        case answer(Int?)
        case cancel
    }
}

extension Subscribers.Demand {
    init(count: Int?) { self = count.map { .max($0) } ?? .unlimited }
}

/// Does what a script says, and writes down what it hears.
final class ScriptSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never

    private(set) var values: [Int] = []
    private(set) var completionCount = 0
    private(set) var breaches: [String] = []
    private var reactions: [ScriptAction.Reaction] = []
    private var reactionsDone = 0
    private var subscription: (any Subscription)?
    private var isReceiving = false

    func perform(_ script: [ScriptAction]) {
        for action in script {
            switch action {
            case .request(let count): subscription?.request(Subscribers.Demand(count: count))
            case .cancel: subscription?.cancel()
            case .insideNextDelivery(let reaction): reactions.append(reaction)
            }
        }
    }

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
        if isReceiving { breaches.append("a value inside the delivery of another") }
        isReceiving = true
        defer { isReceiving = false }
        values.append(input)
        if reactionsDone == reactions.count { return .none }
        reactionsDone += 1
        switch reactions[reactionsDone - 1] {
        case .request(let count): subscription?.request(Subscribers.Demand(count: count))
        case .answer(let count): return Subscribers.Demand(count: count)
        case .cancel: subscription?.cancel()
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        if isReceiving { breaches.append("a completion inside the delivery of a value") }
        completionCount += 1
    }
}

/// What a publisher of the numbers from one up to a count should do about a script.
struct ScriptModel {
    let count: Int
    /// Whether the end is known right after the last number, and not only when the next one is looked for.
    let knowsEnd: Bool
    private(set) var delivered = 0
    private(set) var isCancelled = false
    private(set) var hasFinished = false
    /// Whether the cancel came from inside a delivery.
    private(set) var wasCancelledInside = false
    private var outstanding = 0
    private var isUnlimited = false
    private var reactions: [ScriptAction.Reaction] = []

    init(count: Int, knowsEnd: Bool = true) {
        self.count = count
        self.knowsEnd = knowsEnd
    }

    /// Whether nothing can happen any more.
    var isOver: Bool { isCancelled || hasFinished }

    mutating func perform(_ action: ScriptAction) {
        switch action {
        case .request(let count):
            if isOver { return }
            add(count)
            serve()
        case .cancel: if !hasFinished { isCancelled = true }
        case .insideNextDelivery(let reaction): reactions.append(reaction)
        }
    }

    private mutating func add(_ count: Int?) {
        if let count { outstanding += count } else { isUnlimited = true }
    }

    private mutating func serve() {
        while delivered < count, isUnlimited || outstanding > 0 {
            delivered += 1
            outstanding -= 1
            if !reactions.isEmpty {
                switch reactions.removeFirst() {
                case .request(let count), .answer(let count): add(count)
                case .cancel:
                    isCancelled = true
                    wasCancelledInside = true
                    return
                }
            }
        }
        hasFinished = delivered == count && (knowsEnd || isUnlimited || outstanding > 0)
    }
}

/// Calls a closure with every script over an alphabet up to a length, and what the model says of it.
///
/// A script goes on by two actions at the most when everything is over.
func forEachScript(
    over alphabet: [ScriptAction], upTo length: Int, count: Int, knowsEnd: Bool = true,
    _ body: ([ScriptAction], ScriptModel) -> Void
) {
    func extend(_ script: [ScriptAction], _ model: ScriptModel, overFor: Int) {
        body(script, model)
        if script.count == length || overFor == 2 { return }
        for action in alphabet {
            var next = model
            next.perform(action)
            extend(script + [action], next, overFor: next.isOver ? overFor + 1 : 0)
        }
    }
    extend([], ScriptModel(count: count, knowsEnd: knowsEnd), overFor: 0)
}
