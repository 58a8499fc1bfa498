import Dispatch
@preconcurrency import Glibc
import Headgate
import HeadgateFlow
import HeadgateTesting
import Synchronization

@main
struct Fetcher {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return print(Arguments.help) }
            if arguments.isVirtual { fetchInVirtualTime(arguments) } else { fetch(arguments) }
        } catch {
            fputs("fetcher: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        }
    }

    /// Everything runs on this thread, which advances the clock.
    static func fetchInVirtualTime(_ arguments: Arguments) {
        let scheduler = TestScheduler()
        let clock = TestClock(scheduler)
        let start = clock.now
        let run = Run(arguments, on: scheduler, Flow("fetcher", scheduler: scheduler)) { start.duration(to: clock.now) }
        let fetching = run.begin {}
        scheduler.runUntilIdle(limit: .max)
        fetching.cancel()
    }

    /// Everything runs on one queue.
    static func fetch(_ arguments: Arguments) {
        setvbuf(stdout, nil, _IOLBF, 0)
        let queue = DispatchQueue(label: "fetcher")
        let end = DispatchSemaphore(value: 0)
        queue.async {
            let clock = ContinuousClock()
            let start = clock.now
            let run = Run(arguments, on: queue, Flow("fetcher")) { start.duration(to: clock.now) }
            let fetching = Mutex<AnyCancellable?>(nil)
            let started = run.begin {
                // Retains the run until here.
                withExtendedLifetime(fetching.withLock { $0.take() }) { _ = end.signal() }
            }
            fetching.withLock { $0 = started }
        }
        end.wait()
    }
}
