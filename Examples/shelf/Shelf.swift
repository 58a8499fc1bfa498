@preconcurrency import Glibc
import HeadgateSystem

@main
struct Shelf {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                let written = await Just(Arguments.help + "\n").write(to: .standardOutput, terminator: "")
                exit(written?.isComplete == true ? 0 : 1)
            }
            exit(await run(arguments))
        } catch {
            complain("\(error)\n\(Arguments.help)")
            exit(2)
        }
    }

    /// Serves until a signal arrives, and until what has begun by then is done.
    ///
    /// - Returns: The status to exit with.
    static func run(_ arguments: Arguments) async -> Int32 {
        let shutdown = GracefulShutdown(
            on: Signals.publisher(for: .terminate, .interrupt), deadline: .seconds(arguments.grace))
        let listener =
            switch arguments.place {
            case .tcp(let host, let port): Listener(port: port, host: host)
            case .unix(let path): Listener(path: path)
            }
        do {
            complain("listening on \(try listener.bind())")
        } catch {
            complain("\(error)")
            return 1
        }
        let failure = CurrentValueSubject<SystemError?, Never>(nil)
        // More clients than that wait in the backlog.
        let serving = listener.stopped(by: shutdown.stop)
            .asyncMap(maxConcurrent: 500, ordered: false) { connection in
                await Conversation(connection: connection, arguments: arguments, shutdown: shutdown).run()
            }
            .underWay(in: shutdown)
            .sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { failure.value = error }
                }, receiveValue: {})

        let ending = await shutdown.ending()
        serving.cancel()
        if let error = failure.value {
            complain("\(error)")
            return 1
        }
        if case .cutOff = ending { complain("some requests were not answered in time") }
        return 0
    }

    static func complain(_ message: String) { fputs("shelf: \(message)\n", stderr) }
}
