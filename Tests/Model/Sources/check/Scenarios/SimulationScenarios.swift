@testable import Headgate
@testable import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
import HeadgateFlow
import ModelCore
import ModelKit

/// Properties, media, and what else has one lock around its state.
let simulationScenarios = scenarios(.light) { family in
    family.add("published: two set, one reads, and the object's publisher is adopted") { run in
        let property = Published(wrappedValue: Payload.make(0))
        let will = ObservableObjectPublisher()
        let a = Recorder<Never>()
        a.requested = nil
        property.storage.hub.attach(a)
        for sender in 1...2 { run.thread { property.storage.send(.make(sender * 10)) } }
        run.thread {
            expect(property.adopt(will) === will, "another publisher")
            _ = property.storage.value.cell.value
        }
        run.after {
            a.checkOrder()
            expect(a.values.last == property.storage.value.id, "\(a.values), \(property.storage.value.id)")
        }
    }
    family.add("published: two threads adopt one publisher") { run in
        let property = Published(wrappedValue: Payload.make(0))
        var adopted: [ObservableObjectPublisher] = []
        for _ in 0..<2 { run.thread { adopted.append(property.adopt(ObservableObjectPublisher())) } }
        run.after { expect(adopted[0] === adopted[1], "two publishers") }
    }
    family.add("observable objects: two threads ask for the publisher of one") { run in
        final class Object {}
        let object = Object()
        let table = ObservableObjectTable()
        var found: [ObservableObjectPublisher] = []
        for _ in 0..<2 { run.thread { found.append(table.publisher(for: object)) } }
        run.after { expect(found[0] === found[1], "two publishers") }
    }
    family.add("held value: two set, one subscribes") { run in
        let held = HoldValue(Payload.make(0))
        let a = Recorder<Never>(), b = Recorder<Never>()
        held.publisher.subscribe(a)
        for sender in 1...2 { run.thread { held.value = .make(sender * 10) } }
        run.thread { held.publisher.subscribe(b) }
        run.after {
            a.checkOrder()
            expect(a.values.last == held.value.id, "\(a.values), \(held.value.id)")
        }
    }
    family.add("media clock: one advances, one schedules and cancels") { run in
        let clock = VirtualMediaClock()
        let count = ModelCell(0, "what the alarm does")
        let early = clock.schedule(at: 1) { count.value += 1 }
        run.thread { clock.advance(by: 1) }
        run.thread {
            early.cancel()
            _ = clock.schedule(at: 5_000_000_000) {}
        }
        run.after { expect(count.value <= 1 && clock.now == 1_000_000_000, "\(count.value) at \(clock.now)") }
    }
    family.add("media player: two threads control it, one leaves") { run in
        let clock = VirtualMediaClock()
        let player = MediaPlayer(duration: 10, clock: clock)
        let times = ModelCell<[Double]>([], "what the observer sees")
        let observer = player.addPeriodicTimeObserver(forInterval: 1) { times.value.append($0) }
        run.thread { player.play() }
        run.thread { player.seek(to: 5) }
        run.thread { player.removeTimeObserver(observer) }
        run.after {
            let before = times.value.count
            clock.advance(by: 2)
            expect(player.rate == 1 && player.currentTime == 7, "\(player.rate), \(player.currentTime)")
            expect(times.value.count == before, "a removed observer is called")
        }
    }
    family.add("assign: a value against a cancellation") { run in
        final class Holder {
            let log = ModelCell(0, "the assigned property")
            var value: Payload? {
                get { nil }
                set { log.value = newValue?.cell.value ?? 0 }
            }
        }
        let p = PayloadSubject()
        let assign = Subscribers.Assign(object: Holder(), keyPath: \Holder.value)
        run.thread { p.map { $0 as Payload? }.subscribe(assign) }
        run.thread { p.send(.make(10)) }
        run.thread { assign.cancel() }
        run.after {
            expect(assign.object == nil, "the object is retained")
            expect(hub(p).subscribers.isEmpty, "not cancelled")
        }
    }
    family.add("sink: values and the completion against a cancellation") { run in
        let p = PayloadSubject()
        let log = ModelCell<[Int]>([], "the sink's log")
        let sink = Subscribers.Sink<Payload, Never>(
            receiveCompletion: { _ in log.value.append(-1) }, receiveValue: { log.value.append($0.cell.value) })
        p.subscribe(sink)
        run.thread {
            p.send(.make(10))
            p.send(completion: .finished)
        }
        run.thread { sink.cancel() }
        run.after { expect(log.value == Array([10, -1].prefix(log.value.count)), "\(log.value)") }
    }
    family.add("cached: two subscribe while the run ends") { run in
        let p = PayloadSubject()
        let cached = p.cached(for: 1, scheduler: ImmediateScheduler.shared)
        let a = Recorder<Never>(), b = Recorder<Never>()
        run.thread { cached.subscribe(a) }
        run.thread { cached.subscribe(b) }
        run.thread {
            p.send(.make(10)); p.send(completion: .finished)
        }
        run.after {
            a.checkOrder()
            b.checkOrder()
        }
    }
    family.add("replay: what is known of upstream is read while it arrives") { run in
        let p = PayloadSubject()
        let shared = p.shareReplay(capacity: 1)
        let a = Recorder<Never>(.none), b = Recorder<Never>(.none)
        shared.subscribe(a)
        run.thread { a.request(.max(1)) }
        run.thread {
            shared.subscribe(b)
            _ = (b.subscription as? ConduitSubscription)?.traits
        }
        run.thread { _ = (a.subscription as? ConduitSubscription)?.traits }
        run.after {}
    }
    family.add("buffer: its counts are read while it drops") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>(.none)
        let flow = Flow("test")
        p.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).stage("stage", in: flow).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread {
            let stage = flow.snapshot.stages[0]
            expect(stage.waiting <= 1 && stage.dropped <= 1, "\(stage)")
        }
        run.after {
            let stage = flow.snapshot.stages[0]
            expect(stage.waiting == 1 && stage.dropped == 1, "\(stage)")
        }
    }
}
