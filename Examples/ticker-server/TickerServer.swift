import Dispatch
@preconcurrency import Glibc
import HeadgateSystem
import Synchronization
import Terminal

@main
struct TickerServer {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { exit(await show(Arguments.help + "\n") ? 0 : 1) }
            exit(await run(arguments))
        } catch {
            complain("\(error)\n\(Arguments.help)")
            exit(2)
        }
    }

    /// Serves until a signal arrives, and says farewell.
    ///
    /// - Returns: The status to exit with.
    static func run(_ arguments: Arguments) async -> Int32 {
        allowAsManyDescriptorsAsPossible()
        let metrics = Metrics()
        let shutdown = GracefulShutdown(
            on: Signals.publisher(for: .terminate, .interrupt), deadline: .seconds(arguments.grace))
        let options = SocketOptions(keepAlive: KeepAlive(), sendBufferSize: 1 << 16)
        let listener =
            switch arguments.place {
            case .tcp(let host, let port):
                Listener(port: port, host: host, backlog: 4096, options: options, whenOutOfDescriptors: .refuse)
            case .unix(let path):
                Listener(path: path, backlog: 4096, options: options, whenOutOfDescriptors: .refuse)
            }

        let batches = CurrentValueSubject<Batch, Never>(Batch())
        let began = DispatchTime.now().uptimeNanoseconds
        let ticking = Publishers.timer(
            queue: DispatchQueue(label: "ticker"), interval: .milliseconds(arguments.batch)
        )
        .sink { _ in
            // As many as are due, even if the timer was late, but at most a second's worth at once.
            let elapsed = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
            let batch = batches.value
            let due = Int(elapsed * Double(arguments.rate)) - batch.first - batch.count
            if due > 0 { batches.send(batch.next(min(due, arguments.rate))) }
        }

        let showing = show(metrics, of: batches)
        let telling = Signals.publisher(for: .user1)
            .map { _ in
                let batch = batches.value
                // It may lead to the same terminal.
                line.clear()
                return metrics.text(messages: batch.first + batch.count, refused: listener.refusedCount)
            }
            .write(to: .standardOutput, terminator: "") { _ in }

        var scrapes: AnyCancellable?
        do {
            complain("listening on \(try listener.bind())")
            if let port = arguments.metricsPort {
                let scraped = Listener(port: port, host: arguments.host)
                complain("metrics on \(try scraped.bind())")
                scrapes = Scrapes.answer(on: scraped, metrics.flow)
            }
        } catch {
            complain("\(error)")
            return 1
        }
        let failure = CurrentValueSubject<SystemError?, Never>(nil)
        let accepting = listener.stopped(by: shutdown.stop).sink(
            receiveCompletion: { completion in
                if case .failure(let error) = completion {
                    failure.value = error
                    shutdown.begin()
                }
            },
            receiveValue: { connection in
                metrics.accepted.add(1, ordering: .relaxed)
                Client(connection, arguments, metrics).serve(batches, until: shutdown)
            })

        let ending = await shutdown.ending()
        ticking.cancel()
        telling.cancel()
        showing.cancel()
        accepting.cancel()
        scrapes?.cancel()
        if case .cutOff(let remaining) = ending { complain("\(remaining) clients did not read to the end") }
        if let error = failure.value {
            complain("\(error)")
            return 1
        }
        return 0
    }

    /// Draws a line on a terminal once a second, until it is cancelled.
    static func show(_ metrics: Metrics, of batches: CurrentValueSubject<Batch, Never>) -> AnyCancellable {
        if !line.isShown { return AnyCancellable {} }
        let drawing = Publishers.timer(interval: .seconds(1))
            .scan((before: 0, now: 0)) { [metrics] sent, _ in (sent.now, metrics.sent.load(ordering: .relaxed)) }
            .sink { sent in
                let batch = batches.value
                let clients = metrics.clients.load(ordering: .relaxed)
                let dropped = metrics.dropped.load(ordering: .relaxed)
                line.show(
                    "clients \(clients)   messages \(batch.first + batch.count)   "
                        + "sent \(sent.now - sent.before)/s   dropped \(dropped)")
            }
        return AnyCancellable {
            drawing.cancel()
            line.clear()
        }
    }

    /// What is drawn on a terminal, below what is printed.
    static let line = StatusLine()

    /// Prints a text.
    static func show(_ text: String) async -> Bool {
        await Just(text).write(to: .standardOutput, terminator: "")?.isComplete ?? false
    }

    static func complain(_ message: String) {
        line.clear()
        fputs("ticker-server: \(message)\n", stderr)
    }

    /// Each client takes one, and the default limit is about a thousand.
    static func allowAsManyDescriptorsAsPossible() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
