import HeadgateEngine
import HeadgateThread
import ModelCore
import ModelKit

/// A drain with what it protects: a plain log, which only the owner may touch, and whether somebody is inside.
final class GuardedLog {
    let drain = Drain()
    let log = ModelCell<[Int]>([], "what the drain protects")
    var isInside = false
    var performed: [Int] = []
    /// How many pieces of the work of others an owner has performed since it became the owner.
    let stretch: Bool

    init(stretch: Bool = false) { self.stretch = stretch }

    func work(_ id: Int) {
        expect(!isInside, "two owners at once")
        isInside = true
        log.value.append(id)
        if stretch { model_step("inside the work") }
        isInside = false
        performed.append(id)
    }

    /// Everything was performed once, in the order of each sender (ids of a sender: ten times its number, and more),
    /// and the drain is idle.
    func check(_ ids: [Int]) {
        expect(performed.sorted() == ids.sorted(), "performed \(performed) instead of \(ids)")
        expect(log.value == performed, "the log differs: \(log.value) \(performed)")
        for sender in 0..<10 {
            let own = performed.filter { $0 / 10 == sender }
            expect(own == own.sorted(), "the work of sender \(sender) is out of order: \(performed)")
        }
        expect(
            drain.state.load(ordering: .relaxed) == 0, "the drain isn't idle: \(drain.state.load(ordering: .relaxed))")
        expect(drain.enter(), "nobody can enter")
        drain.leave()
        model_note("order \(performed)")
    }
}

func depthIsZero() { expect(headgate_depth() == 0, "the thread's depth is \(headgate_depth())") }
