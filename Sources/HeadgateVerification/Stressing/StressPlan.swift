import HeadgateCore
import HeadgateTesting

/// The actions of the threads in one round.
struct StressPlan {
    /// Where the subscriber cancels.
    enum Cancellation {
        case never

        /// On a thread of its own, which yields this many times first.
        case outside(delay: Int)

        /// Inside the delivery of a value, counted from zero.
        case inside(value: Int)

        /// On another thread while a value, counted from zero, is being delivered.
        case elsewhere(value: Int)
    }

    let seed: UInt64
    let cancellation: Cancellation

    /// The demands of each requesting thread, in order.
    let requests: [[Subscribers.Demand]]

    /// How an upstream or a subject ends.
    let completion: Subscribers.Completion<VerificationFailure>

    init(seed: UInt64, values: Int, everything: Subscribers.Demand) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let place = Int.random(in: 0..<max(1, values / 2), using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: cancellation = .outside(delay: Int.random(in: 0..<20, using: &generator))
        case 2: cancellation = .inside(value: place)
        case 3: cancellation = .elsewhere(value: place)
        default: cancellation = .never
        }
        let requestsUnlimited = Int.random(in: 0..<6, using: &generator) == 0
        // The next request may cover up the loss of one, so only the last one shows a bug.
        let count = [1, 2, max(1, values / 4)][Int.random(in: 0..<3, using: &generator)]
        requests = (0..<2).map { number in
            if requestsUnlimited, number == 0 { return [everything] }
            return (0..<count).map { _ in .max(Int.random(in: 0...3, using: &generator)) }
        }
        completion = Int.random(in: 0..<4, using: &generator) == 0 ? .failure(.upstreamFailed) : .finished
    }

    /// The subscriber's reaction to a value, counted from zero.
    func reaction(at index: Int) -> Reaction {
        switch cancellation {
        case .inside(index): return .cancel
        case .elsewhere(index): return .cancelElsewhere
        default: break
        }
        // Only one in three requests another value, so that answers alone don't keep the stream going.
        switch (UInt64(index) &* 31 &+ seed) % 24 {
        case 0, 1, 2, 3: return .answer(.max(1))
        case 4, 5, 6: return .request(.max(1))
        case 7: return index < 16 ? .requestElsewhere(.max(1)) : .nothing
        default: return .nothing
        }
    }

    /// The random pauses of one of the threads.
    func yielder(_ number: Int) -> ThreadYielder { ThreadYielder(seed: seed &* 16 &+ UInt64(number)) }

    /// A thread that does something with each of some elements, after a random pause.
    ///
    /// - Parameter number: The number of the thread, on which its pauses depend.
    func thread<Element>(
        _ number: Int, for elements: some Sequence<Element>, _ body: @escaping (Element) -> Void
    ) -> () -> Void {
        let yielder = yielder(number)
        return {
            for element in elements {
                yielder.pause()
                body(element)
            }
        }
    }

    var sentence: String {
        let requesting = "two threads request"
        switch cancellation {
        case .never: return requesting
        case .outside: return requesting + ", a third cancels"
        case .inside(let value): return requesting + "; in the delivery of value \(value + 1): cancel"
        case .elsewhere(let value):
            return requesting + "; in the delivery of value \(value + 1), on another thread: cancel"
        }
    }
}
