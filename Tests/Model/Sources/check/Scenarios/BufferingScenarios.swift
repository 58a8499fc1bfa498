import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let bufferingScenarios = scenarios(.light) { family in
    family.add(
        "buffer: values keep their order while the subscriber is attached", .light.with(preemptions: 3, effort: 4)
    ) { run in
        let p = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        p.subscribe(b)
        run.thread { Hasty(subject: p).buffer(size: 10, prefetch: .keepFull, whenFull: .dropOldest).subscribe(a) }
        run.thread { p.send(.make(10)) }
        run.after {
            let following = Array(b.values.suffix(a.values.count))
            expect(a.values == following && a.values.contains(20), "\(a.values), but the subject sent \(b.values)")
        }
    }
    family.add("buffer: values against demand") { run in
        let p = PayloadSubject()
        let a = Recorder<Never>(.none)
        p.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).subscribe(a)
        run.thread {
            p.send(.make(10)); p.send(.make(11))
        }
        run.thread {
            a.request(.max(1)); a.request(.max(1))
        }
        run.after {
            expect(a.values == [10, 11], "\(a.values)")
        }
    }
    family.add("emitter: two send, one requests") { run in
        let emitter = Box<Emitter<Payload, Never>?>(nil)
        let a = Recorder<Never>(.max(1))
        let p = Publishers.emitter(Payload.self, buffering: .unbounded) { emitter.value = $0 }
        p.subscribe(a)
        run.thread { emitter.value!.send(.make(10)) }
        run.thread { emitter.value!.send(.make(20)) }
        run.thread { a.request(.max(1)) }
        run.after {
            emitter.value!.finish()
            expect(a.values.count == 2 && a.completions == 1, "\(a.values) \(a.completions)")
            emitter.value = nil
        }
    }
}
