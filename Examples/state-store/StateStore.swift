@preconcurrency import Glibc
import Headgate
import HeadgateTesting

@main
struct StateStore {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return print(Arguments.help) }
            await play(quiet: arguments.debounce)
        } catch {
            fputs("state-store: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        }
    }

    static func play(quiet: Int) async {
        let region = CurrentValueSubject<String, Never>("north")
        let limit = CurrentValueSubject<Int, Never>(1)
        let isVerbose = CurrentValueSubject<Bool, Never>(false)
        let time = TestScheduler()
        let directory = Directory()
        let store = Store()

        let states = region.combineLatest(limit, isVerbose) { Configuration(region: $0, limit: $1, isVerbose: $2) }
            .debounce(for: .milliseconds(quiet), scheduler: time)
            .map { configuration in
                // One task per load: switching to the next one cancels it.
                Just(configuration).asyncMap { configuration in
                    State(
                        configuration: configuration, endpoints: await directory.endpoints(for: configuration))
                }
            }
            .switchToLatest()
        await store.follow(states)

        time.advance(by: .milliseconds(quiet))
        await directory.begun(1)
        await directory.answer(1)
        await store.changed(times: 1)

        print("script: three changes at once")
        region.send("south")
        limit.send(2)
        isVerbose.send(true)
        time.advance(by: .milliseconds(quiet))
        await directory.begun(2)

        print("script: one more, while they are loaded")
        limit.send(3)
        time.advance(by: .milliseconds(quiet))
        await directory.begun(3)
        await directory.answer(3)
        await store.changed(times: 2)
        await directory.answer(2)
        while await directory.cancelled == 0 { await Task.yield() }

        let endpoints = await store.state?.endpoints.count ?? 0
        print("script: the store knows \(endpoints) endpoints")
    }
}
