import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let slotScenarios = scenarios { family in
    // The value is written before it is made ready, and released by the one that learns it has to.
    family.add("last value: ready, requested, cancelled", Bounds().with(preemptions: 4)) { run in
        let g = GateBox()
        let value = ModelCell(0, "the value")
        var delivered = 0, released = 0, completed = 0, left = 0
        func deliver() {
            delivered += 1
            expect(value.value == 1, "the value isn't there")
            value.value = 2
            if g.gate.finish() { completed += 1 }
        }
        run.thread {
            value.value = 1
            switch g.gate.makeReady() {
            case .deliver: deliver()
            case .wait: break
            case .release: released += 1; value.value = 3
            }
        }
        run.thread { if g.gate.request() { deliver() } }
        run.thread {
            let (isFirst, hasValue) = g.gate.close()
            if isFirst { left += 1 }
            if hasValue { released += 1; value.value = 3 }
        }
        run.after {
            expect(delivered + released == 1, "delivered \(delivered), released \(released)")
            expect(completed + left <= 1, "completed \(completed), left \(left)")
            model_note("delivered \(delivered) released \(released) completed \(completed) left \(left)")
        }
    }
    family.add("last value: two requests", Bounds().with(preemptions: 4)) { run in
        let g = GateBox()
        let value = ModelCell(0, "the value")
        var delivered = 0
        func deliver() { delivered += 1; value.value += 1; _ = g.gate.finish() }
        run.thread {
            value.value = 1; if case .deliver = g.gate.makeReady() { deliver() }
        }
        for _ in 0..<2 { run.thread { if g.gate.request() { deliver() } } }
        run.after { expect(delivered == 1, "delivered \(delivered)") }
    }
    family.add("last value: isClosed shows what was done before", Bounds().with(preemptions: 4)) { run in
        let g = GateBox()
        let value = ModelCell(0, "the value")
        run.thread {
            value.value = 1; _ = g.gate.finish()
        }
        run.thread { if g.gate.isClosed { expect(value.value == 1, "") } }
        run.after {}
    }
    family.add("once conduit: fulfilled, requested, cancelled", Bounds().with(preemptions: 3)) { run in
        var delivered = 0, completed = 0, left = 0
        let conduit = OnceConduit(name: "Test", leave: { _ in left += 1 })
        let value = ModelCell(0, "the value")
        run.thread {
            value.value = 1
            conduit.fulfill { conduit in
                expect(value.value == 1, "")
                delivered += 1
                if conduit.finish() { completed += 1 }
            }
        }
        run.thread { conduit.request(.max(1)) }
        run.thread { conduit.cancel() }
        run.after {
            expect(
                delivered <= 1 && completed <= delivered && completed + left <= 1, "\(delivered) \(completed) \(left)")
            expect(delivered == 1 || left == 1, "neither delivered nor left")
            model_note("delivered \(delivered) completed \(completed) left \(left)")
        }
    }
    family.add("slot: the subscription arrives against cancel and request", Bounds().with(preemptions: 3)) { run in
        let slot = SharedSlot()
        let upstream = CountingSubscription()
        upstream.seen.value = 1
        var cancelled = 0
        run.thread {
            upstream.seen.value = 2; _ = slot.slot.fill(with: upstream)
        }
        run.thread { if slot.slot.cancel() { cancelled += 1 } }
        run.thread { slot.slot.request(.max(1)) }
        run.after {
            expect(cancelled == 1 && upstream.cancels == 1, "cancelled \(cancelled), upstream \(upstream.cancels)")
            model_note("requested \(upstream.requested)")
        }
    }
    family.add("slot: two cancel, one completes", Bounds().with(preemptions: 4)) { run in
        let slot = SharedSlot()
        let upstream = CountingSubscription()
        _ = slot.slot.fill(with: upstream)
        var cancelled = 0, closed = 0
        for _ in 0..<2 { run.thread { if slot.slot.cancel() { cancelled += 1 } } }
        run.thread { if slot.slot.close() { closed += 1 } }
        run.after {
            expect(
                cancelled + closed == 1 && upstream.cancels == cancelled, "\(cancelled) \(closed) \(upstream.cancels)")
        }
    }
    family.add("slot: two subscriptions", Bounds().with(preemptions: 4)) { run in
        let slot = SharedSlot()
        let a = CountingSubscription(), b = CountingSubscription()
        run.thread { _ = slot.slot.fill(with: a) }
        run.thread { _ = slot.slot.fill(with: b) }
        run.thread { slot.slot.cancel() }
        run.after { expect(a.cancels == 1 && b.cancels == 1, "\(a.cancels) \(b.cancels)") }
    }
    family.add("cancellable: two cancel", Bounds().with(preemptions: 4)) { run in
        let cell = ModelCell(0, "what the action writes")
        let c = AnyCancellable { cell.value += 1 }
        for _ in 0..<2 { run.thread { c.cancel() } }
        run.after { expect(cell.value == 1, "\(cell.value)") }
    }
}
