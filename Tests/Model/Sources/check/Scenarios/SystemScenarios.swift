import Headgate
import HeadgateCombine
import HeadgateCore
@testable import HeadgateEngine
@testable import HeadgateSystem
import ModelCore
import ModelKit

private let readable: UInt32 = 1, writable: UInt32 = 4, hungUp: UInt32 = 0x2000

/// What waits for the system: a modelled kernel says when, the library's own threads wait, and the scenario's perform the
/// jobs that are given to Dispatch.
let systemScenarios = scenarios(.light) { family in
    let poller = Poller.shared
    let descriptor: Int32 = 7
    func joined(_ run: Execution, times: Int = 1) {
        for _ in 0..<times { poller.join(descriptor) }
        run.after { ModelKernel.close(descriptor) }
    }
    family.add("poller: one waits, an event happens") { run in
        let count = ModelCell(0, "what the event wakes")
        let state = ModelCell(0, "what was written before the wait")
        joined(run)
        run.thread {
            state.value = 1
            poller.wait(for: .reading, of: descriptor, .init(queue: .sharing("model")) { count.value += state.value })
        }
        run.thread { ModelKernel.happen(readable, at: descriptor) }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(count.value == 1, "woken \(count.value) times")
            poller.leave(descriptor, .reading)
        }
    }
    family.add("poller: both directions of one descriptor") { run in
        let read = ModelCell(0, "what the reader does"), written = ModelCell(0, "what the writer does")
        joined(run, times: 2)
        let queue = DeliveryQueue.sharing("model")
        run.thread { poller.wait(for: .reading, of: descriptor, .init(queue: queue) { read.value += 1 }) }
        run.thread { poller.wait(for: .writing, of: descriptor, .init(queue: queue) { written.value += 1 }) }
        run.thread {
            ModelKernel.happen(readable, at: descriptor)
            ModelKernel.happen(writable, at: descriptor)
        }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(read.value == 1 && written.value == 1, "read \(read.value), written \(written.value)")
            poller.leave(descriptor, .reading)
            poller.leave(descriptor, .writing)
        }
    }
    family.add("poller: one that blocks, and an event of another") { run in
        let other: Int32 = 8
        let second = Wakeup()
        var isFirstDone = false
        poller.join(descriptor)
        poller.join(other)
        poller.wait(
            for: .reading, of: descriptor,
            .init(queue: .sharing("one")) {
                // It may: then the next event is for another thread, or for Dispatch.
                isFirstDone = second.wait()
            })
        poller.wait(for: .reading, of: other, .init(queue: .sharing("two")) { second.continuation.resume() })
        run.thread { ModelKernel.happen(readable, at: descriptor) }
        run.thread { ModelKernel.happen(readable, at: other) }
        run.thread { ModelJobs.dispatch.perform(waits: 6) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(isFirstDone, "the second event waits for the first")
            for number in [descriptor, other] {
                poller.leave(number, .reading)
                ModelKernel.close(number)
            }
        }
    }
    family.add("poller: an event of an earlier file with the same number") { run in
        let count = ModelCell(0, "what the later file's event wakes")
        joined(run)
        poller.wait(for: .reading, of: descriptor, .init(queue: .sharing("model")) {})
        run.thread {
            poller.leave(descriptor, .reading)
            ModelKernel.close(descriptor)
            poller.join(descriptor)
            poller.wait(for: .reading, of: descriptor, .init(queue: .sharing("model")) { count.value += 1 })
        }
        run.thread { ModelKernel.happen(readable, at: descriptor) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(count.value <= 1, "woken \(count.value) times")
            poller.leave(descriptor, .reading)
        }
    }
    family.add("hang-up watch: the end against the ticket's release") { run in
        let count = ModelCell(0, "what the end calls")
        let watched = Descriptor(borrowing: descriptor, path: nil)
        let ticket = Box(HangUpWatch.shared.watch(watched) { count.value += 1 })
        run.thread { ModelKernel.happen(hungUp, at: descriptor) }
        run.thread { ticket.value = nil }
        run.thread { _ = HangUpWatch.shared.watch(watched) {} }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(count.value <= 1, "called \(count.value) times")
            ModelKernel.close(descriptor)
        }
    }
    family.add("hang-up watch: two ends, while a third connection is registered") { run in
        let other: Int32 = 8
        let count = ModelCell(0, "what the ends call")
        let tickets = [descriptor, other].map { number in
            HangUpWatch.shared.watch(Descriptor(borrowing: number, path: nil)) { count.value += 1 }
        }
        run.thread { ModelKernel.happen(hungUp, at: descriptor) }
        run.thread { ModelKernel.happen(hungUp, at: other) }
        run.thread { _ = HangUpWatch.shared.watch(Descriptor(borrowing: 9, path: nil)) {} }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            withExtendedLifetime(tickets) { expect(count.value == 2, "called \(count.value) times") }
            for number in [descriptor, other, 9] { ModelKernel.close(number) }
        }
    }
    family.add("jobs: two threads enqueue, two perform, one takes an event where it comes") { run in
        let jobs = SerialJobs(on: .shared)
        let log = ModelCell<[Int]>([], "what the jobs share")
        run.thread {
            jobs.run { log.value.append(10) }
            jobs.run { log.value.append(11) }
        }
        run.thread { jobs.runHere { log.value.append(20) } }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(log.value.count == 3, "\(log.value)")
            expect(log.value.filter { $0 < 20 } == [10, 11], "\(log.value)")
        }
    }
    family.add("jobs: one thread takes the queue, another one enqueues") { run in
        let jobs = SerialJobs(on: .shared)
        let log = ModelCell<[Int]>([], "what the jobs share")
        run.thread {
            guard jobs.enter() else { return }
            log.value.append(10)
            jobs.leave()
        }
        run.thread { jobs.run { log.value.append(20) } }
        run.thread { ModelJobs.dispatch.perform(waits: 2) }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(log.value.contains(20), "\(log.value)")
        }
    }
    family.add("jobs: one gives way") { run in
        let jobs = SerialJobs(on: .shared)
        let log = ModelCell<[Int]>([], "what the jobs share")
        run.thread {
            jobs.run {
                log.value.append(10)
                jobs.runLater { log.value.append(11) }
            }
        }
        for _ in 0..<2 { run.thread { ModelJobs.dispatch.perform(waits: 2) } }
        run.after {
            ModelJobs.dispatch.perform(waits: 0)
            expect(log.value == [10, 11], "\(log.value)")
        }
    }
    family.add("waiting threads: an idle one is given work, or ends", .light.with(leaps: 1)) { run in
        let threads = WaitingThreads()
        let done = Keep(ModelMutex<[Int]>([]))
        for sender in 1...2 {
            run.thread {
                let state = ModelCell(sender, "what the work uses")
                threads.run { done.lock.withLock { $0.append(state.value) } }
            }
        }
        run.thread { threads.run { done.lock.withLock { $0.append(3) } } }
        run.after { expect(done.lock.withLock { $0 }.sorted() == [1, 2, 3], "\(done.lock.withLock { $0 })") }
    }
    // Only that counts as the signal's handler here, which the centre installs and removes.
    func centre(_ installed: ModelCell<Int>) -> SignalCentre {
        SignalCentre { _ in
            installed.value += 1
            return { installed.value -= 1 }
        }
    }
    family.add("signals: one comes and goes, another one stays") { run in
        let installed = ModelCell(0, "the handler")
        let signals = centre(installed)
        let source = SignalSource(Signal(2).bit, from: signals)
        run.thread {
            let other = SignalSource(Signal(2).bit, from: signals)
            other.stop()
        }
        run.thread { signals.bring(Signal(2).bit) }
        run.after {
            expect(installed.value == 1, "\(installed.value) handlers")
            guard case .value(let signal) = source.poll() else { return expect(false, "the signal is lost") }
            expect(signal == Signal(2), "\(signal)")
            source.stop()
            expect(installed.value == 0, "\(installed.value) handlers")
        }
    }
    family.add("signals: one arrives while its subscription waits") { run in
        let signals = centre(ModelCell(0, "the handler"))
        let source = SignalSource(Signal(2).bit, from: signals)
        let wait = source.waiting(on: .immediate)
        var received = 0
        let state = ModelCell(0, "what was written before the wait")
        run.thread {
            state.value = 1
            func receive() {
                while case .value = source.poll() { received += state.value }
                if received == 0 { wait(receive) }
            }
            receive()
        }
        run.thread { signals.bring(Signal(2).bit) }
        run.after {
            expect(received == 1, "received \(received)")
            source.stop()
        }
    }
    family.add("signals: its subscription is released meanwhile") { run in
        let installed = ModelCell(0, "the handler")
        let signals = centre(installed)
        let source = Box<SignalSource?>(SignalSource(Signal(2).bit, from: signals))
        run.thread { source.value = nil }
        run.thread { signals.bring(Signal(2).bit) }
        run.after { expect(installed.value == 0, "\(installed.value) handlers") }
    }
    family.add("descriptor: it is closed while two stop watching it") { run in
        // A number that no file has: the call of the system fails, and does nothing.
        let descriptor = Descriptor(owning: -1, path: nil)
        for _ in 0..<2 { descriptor.beginWatching() }
        run.thread { try? descriptor.close() }
        for _ in 0..<2 { run.thread { descriptor.endWatching() } }
        run.after {}
    }
    family.add("descriptor: one that is borrowed is watched by two") { run in
        let borrowed = Descriptor(borrowing: -1, path: nil)
        for _ in 0..<2 {
            run.thread {
                borrowed.beginWatching()
                borrowed.endWatching()
            }
        }
        run.after {}
    }
    family.add("wall timer: it ticks while it is cancelled") { run in
        let wake = Box<(@Sendable () -> Void)?>(nil)
        let moments = Keep(ModelMutex(0.0))
        let clock = WallClock(now: { WallTime(seconds: moments.lock.withLock { $0 }) }) { _, body in
            wake.value = body
            return AnyCancellable {}
        }
        let ticks = ModelCell(0, "what a tick does")
        let sink = Publishers.wallTimer(.every(seconds: 1), clock: clock).sink { _ in ticks.value += 1 }
        moments.lock.withLock { $0 = 100 }
        let body = wake.value!
        run.thread { body() }
        run.thread { sink.cancel() }
        run.after {
            expect(ticks.value <= 1, "\(ticks.value)")
            wake.value = nil
        }
    }
    family.add("children: two end") { run in
        let children = Children()
        for _ in 0..<2 {
            run.thread {
                children.begin()
                children.end()
            }
        }
        run.after {}
    }
    family.add("shutdown: the last source stops while it begins") { run in
        let jobs = Jobs()
        let shutdown = GracefulShutdown(on: Empty<Void, Never>(), deadline: .seconds(1), scheduler: jobs)
        let p = PayloadSubject(), q = PayloadSubject()
        let a = Recorder<Never>(), b = Recorder<Never>()
        p.stopped(by: shutdown.stop).subscribe(a)
        run.thread { shutdown.begin() }
        run.thread { p.send(completion: .finished) }
        run.thread {
            q.stopped(by: shutdown.stop).subscribe(b)
            q.send(completion: .finished)
        }
        run.after {
            expect(a.completions == 1 && b.completions == 1, "\(a.completions) \(b.completions)")
            expect(shutdown.stop.streamCount == 0, "\(shutdown.stop.streamCount) streams")
            jobs.perform(waits: 0)
        }
    }
    family.add("kill switch: it is turned off while streams begin and end") { run in
        let stop = KillSwitch()
        let a = Recorder<Never>()
        let p = PayloadSubject()
        run.thread { p.stopped(by: stop).subscribe(a) }
        run.thread { stop.turnOff() }
        run.thread { stop.turnOff() }
        run.after {
            expect(a.completions == 1 && stop.streamCount == 0, "\(a.completions), \(stop.streamCount) streams")
        }
    }
    family.add("shutdown: it begins twice while a stream ends") { run in
        let jobs = Jobs()
        let shutdown = GracefulShutdown(on: Empty<Void, Never>(), deadline: .seconds(1), scheduler: jobs)
        let p = PayloadSubject()
        let a = Recorder<Never>()
        p.underWay(in: shutdown).subscribe(a)
        run.thread { shutdown.begin() }
        run.thread { shutdown.begin() }
        run.thread { p.send(completion: .finished) }
        run.after {
            expect(a.completions == 1 && shutdown.underWayCount <= 1, "\(a.completions), \(shutdown.underWayCount)")
            jobs.perform(waits: 0)
        }
    }
    family.add("shutdown: two members of a pending stream leave") { run in
        let jobs = Jobs()
        let shutdown = GracefulShutdown(on: Empty<Void, Never>(), deadline: .seconds(1), scheduler: jobs)
        let stream = PendingStream(in: shutdown)
        run.thread { if stream.join() { stream.leave() } }
        run.thread { stream.leave() }
        run.after { expect(shutdown.underWayCount == 0, "\(shutdown.underWayCount) under way") }
    }
    family.add("an alarm of a scheduler: it goes off while it is cancelled") { run in
        let jobs = Jobs()
        let count = ModelCell(0, "what the alarm does")
        let alarm = HeadgateSystem.Alarm(jobs).after(.seconds(1)) { count.value += 1 }
        run.thread { jobs.perform(waits: 1) }
        run.thread { alarm.cancel() }
        run.after { expect(count.value <= 1, "\(count.value)") }
    }
    family.add("file watcher: news against one that waits") { run in
        let watcher = FileWatcher(keeping: 2)
        var woken = 0
        run.thread { watcher.note([InotifyEvent(watch: 1, mask: 2, cookie: 0, name: "a")])?() }
        run.thread { watcher.wait { woken += 1 } }
        run.after {
            expect(woken == 1, "woken \(woken) times")
            expect(watcher.takeEvents(atMost: 2).count == 1, "no event")
        }
    }
    family.add("unread bytes: a chunk and the end, against one that waits and one that cancels") { run in
        let unread = UnreadBytes<SystemError> { $0 }
        let upstream = CountingSubscription()
        unread.receive(subscription: upstream)
        var woken = 0
        run.thread {
            _ = unread.receive(Bytes([1]))
            unread.receive(completion: .finished)
        }
        run.thread { unread.wait { woken += 1 } }
        run.thread { unread.cancel() }
        run.after { expect(woken == 1 && upstream.cancels <= 1, "woken \(woken) times") }
    }
}
