import Glibc
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import Synchronization

/// The static outside world: reads happen on the requesting thread.
extension Candidate {
    static var system: Family<Candidate> {
        let centre = SignalCentre { _ in {} }
        let clock = SteppedClock()
        let off = KillSwitch()
        off.turnOff()
        let shutdown = GracefulShutdown(on: Empty<Int, Never>(completeImmediately: false), deadline: .seconds(10))
        return Family(
            "The outside world",
            [
                .publisher("File.bytes", .finite) { at(once: File("/dev/zero").bytes(chunkSize: 4, range: 0..<10)) },
                .publisher("File.bytes of a missing file", [.finite, .fails]) {
                    at(once: File("/no/such/file").bytes())
                }
                .excusing(.oneCompletion, because: "the file is opened, and missed, at the first demand"),
                .publisher("Directory.entries", [.finite, .asynchronous]) {
                    Directory("/proc/self/task").entries().map { _ in "entry" }.first()
                },
                .step("lines", .finite) { lineByLine($0).lines() },
                .step("byteLines", .finite) { lineByLine($0).byteLines() },
                .step("frames(delimitedBy:)", .finite) { lineByLine($0).frames(delimitedBy: "\n") },
                .publisher("Signals.publisher(for:)", .hot, settle: { centre.bring(1 << UInt64(SIGUSR1 - 1)) }) {
                    var signals = Signals.publisher(for: .user1)
                    signals.centre = centre
                    signals.makeQueue = { .immediate }
                    return signals
                },
                .publisher("Publishers.wallTimer", .hot, settle: { clock.step() }) {
                    Publishers.wallTimer(.every(seconds: 1), clock: clock.clock)
                },
                .publisher("Command.events", [.finite, .asynchronous]) {
                    // The process ID differs between runs.
                    Command("/bin/true").events().map { event in
                        if case .started = event { "started" } else { "\(event)" }
                    }
                },
                .publisher("KillSwitch.publisher", .finite) { off.publisher },
                .step("stopped(by:)") { $0.stopped(by: KillSwitch()) },
                .step("underWay(in:)") { $0.underWay(in: shutdown) },
            ])
    }

    private static func at(once bytes: Publishers.FileBytes) -> Publishers.FileBytes {
        var bytes = bytes
        bytes.makeQueue = { .immediate }
        return bytes
    }

    /// Each number as a chunk of one line; fails like files.
    private static func lineByLine(_ upstream: Upstream) -> AnyPublisher<Bytes, SystemError> {
        upstream.map { Bytes("\($0)\n") }
            .mapError { _ in SystemError(call: "read", code: EIO) }
            .eraseToAnyPublisher()
    }
}

/// A wall clock that advances by one second per call of `step()`.
private final class SteppedClock: Sendable {
    private struct State {
        var seconds = 0.0
        var count = 0
        var alarms: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    var clock: WallClock {
        WallClock(now: { WallTime(seconds: self.state.withLock { $0.seconds }) }) { _, wake in
            let number = self.state.withLock { state in
                state.count += 1
                state.alarms[state.count] = wake
                return state.count
            }
            return AnyCancellable { _ = self.state.withLock { $0.alarms.removeValue(forKey: number) } }
        }
    }

    func step() {
        let alarms = state.withLock { state in
            state.seconds += 1
            defer { state.alarms = [:] }
            return state.alarms.sorted { $0.key < $1.key }.map(\.value)
        }
        for wake in alarms { wake() }
    }
}
