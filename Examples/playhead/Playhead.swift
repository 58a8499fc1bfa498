import Dispatch
@preconcurrency import Glibc
import Headgate

@main
struct Playhead {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp { return print(Arguments.help) }
            if arguments.isVirtual {
                let clock = VirtualMediaClock()
                show(arguments, on: clock) { clock.advance(by: $0) }
            } else {
                setvbuf(stdout, nil, _IOLBF, 0)
                show(arguments, on: DispatchMediaClock()) { usleep(UInt32($0 * 1_000_000)) }
            }
        } catch {
            fputs("playhead: \(error)\n\(Arguments.help)\n", stderr)
            exit(2)
        }
    }

    /// Plays a third of the media, goes back to the start, pauses, and then plays all of it.
    ///
    /// - Parameter wait: Returns when a number of seconds has passed on the clock.
    static func show(_ arguments: Arguments, on clock: some MediaClock, wait: (_ seconds: Double) -> Void) {
        let player = MediaPlayer(duration: arguments.duration, clock: clock)
        let end = DispatchSemaphore(value: 0)

        let progress = player.playheadProgressPublisher(interval: arguments.interval, finishesAtEnd: true)
            .sink(
                receiveCompletion: { _ in
                    print("the end")
                    end.signal()
                },
                receiveValue: { print(bar($0, of: arguments.duration)) })

        // A second subscriber has an observer of its own, which is removed after three values.
        let start = player.playheadProgressPublisher(interval: arguments.interval)
            .prefix(3)
            .sink(
                receiveCompletion: { _ in print("second subscriber: that is enough") },
                receiveValue: { print("second subscriber: \($0) s") })

        print("play at rate \(arguments.rate)")
        player.rate = arguments.rate
        wait(arguments.duration / arguments.rate / 3)
        print("seek to the start")
        player.seek(to: 0)
        print("pause")
        player.pause()
        wait(0.2)
        print("play on")
        player.rate = arguments.rate
        wait(arguments.duration / arguments.rate)
        end.wait()
        progress.cancel()
        start.cancel()
    }

    static func bar(_ seconds: Double, of duration: Double) -> String {
        let filled = Int(seconds / duration * 30)
        let tenths = (seconds * 10).rounded() / 10
        return "[\(String(repeating: "=", count: filled))\(String(repeating: " ", count: 30 - filled))] \(tenths) s"
    }
}
