import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let subscriberScenarios = scenarios(.light) { family in
    family.add("pausable sink: resumed by another thread, which delivers", Bounds.light.with(preemptions: 3, stale: 2))
    { run in
        let receiver = Box<AnySubscriber<Payload, Never>?>(nil)
        let source = Source { _ in if let r = receiver.value { receiver.value = nil; _ = r.receive(.make(11)) } }
        let log = ModelCell<[Int]>([], "the sink's log")
        let sink = source.pausableSink { value in
            log.value.append(value.id)
            return false
        }
        run.thread {
            let r = source.subscribers[0]; receiver.value = r; _ = r.receive(.make(10))
        }
        run.thread { sink.resume() }
        run.after {}
    }
    family.add("pausable sink: value against resume", Bounds.light.with(preemptions: 3, stale: 2)) { run in
        let p = PayloadSubject()
        let log = ModelCell<[Int]>([], "the sink's log")
        var values: [Int] = []
        let sink = p.pausableSink { value in
            log.value.append(value.id)
            values.append(value.id)
            return false
        }
        run.thread { p.send(.make(10)) }
        run.thread { sink.resume() }
        run.after {
            sink.resume()
            p.send(.make(11))
            expect(values == [10, 11], "\(values)")
        }
    }
    family.add("pausable sink: two resume", Bounds.light.with(preemptions: 3, stale: 2)) { run in
        let source = Source()
        var values: [Int] = []
        let log = ModelCell<[Int]>([], "the sink's log")
        let sink = source.pausableSink { value in
            log.value.append(value.id)
            values.append(value.id)
            return false
        }
        _ = source.subscribers[0].receive(.make(10))
        run.thread { sink.resume() }
        run.thread { sink.resume() }
        run.after { expect(source.subscription.requested == 2, "requested \(source.subscription.requested)") }
    }
    family.add(
        "pausable sink: who sees that it is paused sees what it did", Bounds.light.with(preemptions: 3, stale: 2)
    ) {
        run in
        let source = Source()
        let log = ModelCell(0, "what the sink does")
        let sink = source.pausableSink { value in
            log.value += 1
            return false
        }
        run.thread { _ = source.subscribers[0].receive(.make(10)) }
        run.thread { if sink.paused { expect(log.value == 1, "\(log.value)") } }
        run.after { expect(sink.paused, "not paused") }
    }
}
