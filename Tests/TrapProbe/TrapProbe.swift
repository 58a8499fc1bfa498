import Dispatch
import Foundation
import Headgate
import HeadgateTesting
import HeadgateVerification

/// Makes the mistake whose name it is given, which ends the process.
@main
enum TrapProbe {
    struct Failed: Error {}

    static func main() async {
        switch CommandLine.arguments.dropFirst().first {
        case "negative demand":
            _ = Subscribers.Demand.max(-1)
        case "marbles of another library":
            _ = TestScheduler().hot("ab-c|")
        case "start without an end":
            let scheduler = TestScheduler()
            let timer = scheduler.schedule(after: scheduler.now, interval: 1) {}
            _ = scheduler.start { Just(1) }
            timer.cancel()
        case "start in another order":
            _ = TestScheduler().start(created: 2, subscribed: 1) { Just(1) }
        case "column of no time":
            _ = TestScheduler(column: .zero)
        case "negative product":
            _ = Subscribers.Demand.max(1) * -1
        case "update inside an update":
            let subject = CurrentValueSubject<Int, Never>(0)
            subject.update { value in
                subject.send(7)
                value += 1
            }
        case "breakpoint":
            _ = (1...3).publisher
                .breakpoint(receiveOutput: { $0 == 2 })
                .sink { print("value", $0) }
        case "breakpoint under a debugger":
            // A debugger takes the signal before the process does; to block it comes nearest to that here.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGTRAP)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            _ = (1...3).publisher
                .breakpoint(receiveOutput: { $0 == 2 })
                .sink { print("value", $0) }
            exit(0)
        case "negative capacity":
            _ = Just(1).shareReplay(capacity: -1)
        case "negative buffer":
            _ = Just(1).buffer(size: -1, prefetch: .byRequest, whenFull: .dropNewest)
        case "asynchronous buffer of nothing":
            _ = (1...3).publisher.values(buffering: .bounded(0)).makeAsyncIterator()
        case "nothing at work":
            _ = [1].publisher.asyncMap(maxConcurrent: 0) { $0 }
        case "less than nothing at work":
            _ = [1].publisher.asyncFilter(maxConcurrent: -1) { _ in true }
        case "forEach with nothing at work":
            await [1].publisher.forEach(maxConcurrent: 0) { _ in }
        case "negative number of collected values":
            _ = await [1].publisher.collected(upTo: -1)
        case "negative channel":
            _ = StreamChannel<Int, Never>(capacity: -1)
        case "empty window":
            _ = Subscribers.Windowed<Int, Never>(size: 0) { _ in }
        case "negative emitter":
            _ = Publishers.emitter(Int.self, buffering: .bounded(-1, .dropNewest)) { _ in }
        case "collect of nothing":
            _ = [1].publisher.map { $0 }.collect(0)
        case "negative prefix":
            _ = [1].publisher.map { $0 }.prefix(-1)
        case "negative drop":
            _ = [1].publisher.map { $0 }.dropFirst(-1)
        case "negative interval":
            _ = Publishers.timer(interval: .seconds(-1))
        case "negative retries":
            _ = Fail<Int, Failed>(error: Failed()).map { $0 }.retry(-1)
        case "recording behind its completion":
            var recording = Record<Int, Never>.Recording()
            recording.receive(completion: .finished)
            recording.receive(7)
        case "unexpected failure":
            _ = Fail<Int, Failed>(error: Failed()).assertNoFailure("loading").sink { _ in }
        case "stress of nothing":
            _ = stress(publisher: Just(1), effort: StressEffort(rounds: 0))
        case "repeated work without an interval":
            let scheduler = TestScheduler()
            _ = scheduler.schedule(after: scheduler.now, interval: .zero) {}
        case "unreadable time-line":
            _ = TimeLine(values: "--1--?")
        case "breach of the contract":
            MisbehavingPublisher<Int, Never>(.ignoresDemand).validated("source").subscribe(
                TestSubscriber(.first(1)))
        case "negative effort":
            _ = verify(publisher: Just(1), effort: Effort(randomScripts: -1))
        case "subscriber without timeout":
            _ = verify(
                subscriber: Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in }),
                values: [1], effort: Effort(timeout: 0))
        case "negative number of upstreams":
            _ = stress(joining: -1) { _, _ in Just(1) }
        case "awaited promise that is dropped":
            _ = await Future<Int, Never> { _ in }.value
        case let mistake? where mistake.hasPrefix("limit "):
            LimitMistakes.make(mistake.dropFirst("limit ".count))
        case let mistake? where mistake.hasPrefix("marbles: "):
            _ = TimeLine(values: String(mistake.dropFirst("marbles: ".count)))
        case let mistake? where mistake.hasPrefix("policy: "):
            PolicyMistakes.make(String(mistake.dropFirst("policy: ".count)))
        case "copy standard input": await copyStandardInput()
        case "ask at the terminal": await askAtTheTerminal()
        case "lose peers": losePeers()
        case let other:
            makeSystemMistake(other ?? "")
        }
    }
}
