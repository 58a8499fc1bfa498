import Glibc
import HeadgateSystem
import HeadgateTesting
import HeadgateVerification
import Synchronization

/// The outside world in motion: growing files, programs, and sockets.
///
/// Publishers that publish only when another party acts are left out, because the verifier would have to wait for it in
/// every script: `Directory.changes`, which uses the same conduit as `File.follow`, and `Listener`, which uses that of
/// `Connection.bytes`. `DirectoryTests` and `ListenerTests` check what the verifier would.
extension Candidate {
    static var sockets: Family<Candidate> {
        let room = Room()
        return Family(
            "The outside world, as it moves",
            [
                .publisher("File.follow") {
                    var following = File(room.file).follow(from: .beginning, chunkSize: 4)
                    following.makeQueue = { .immediate }
                    return following
                }
                .inFewScripts(),
                .publisher("File.followChunks") {
                    var following = File(room.file).followChunks(from: .beginning, chunkSize: 4)
                    following.makeQueue = { .immediate }
                    return following
                }
                .inFewScripts(),
                .publisher("File.followLines") {
                    var following = File(room.lines).followLines(from: .beginning)
                    following.makeQueue = { .immediate }
                    return following
                }
                .inFewScripts(),
                .publisher("reader().lines", [.finite, .holdsSubscribers]) {
                    (["a\nb", "\n", "c\nd\ne"] as [Bytes]).publisher.setFailureType(to: SystemError.self).reader()
                        .lines()
                },
                // The end of a program, or of the other side's data, is found with demand beyond the last value.
                .publisher("Command.bytes", [.finite, .asynchronous, .leavesValuesOut, .holdsSubscribers]) {
                    Command("/bin/echo", "bytes").bytes()
                }
                .inFewScripts(),
                .publisher("Command.lines", [.fails, .asynchronous, .leavesValuesOut, .holdsSubscribers]) {
                    Command("/bin/sh", "-c", "echo one; echo two; exit 3").lines()
                }
                .inFewScripts(),
                .publisher("Command.run", [.finite, .asynchronous, .holdsSubscribers]) {
                    Command("/bin/echo", "outcome").run()
                }
                .inFewScripts(),
                .publisher("Connection.connect(to:)", [.finite, .asynchronous]) {
                    // Every connection is different.
                    Connection.connect(to: room.host).map { "\($0)" }
                }
                .inFewScripts(),
                .publisher("Connection.bytes", [.finite, .asynchronous, .leavesValuesOut]) {
                    // One subscriber at a time may read a connection.
                    Deferred { Room.connection(sending: "onetwothree").bytes(chunkSize: 4) }
                }
                .inFewScripts(),
                .step("frames(lengthBytes:)", .finite) { upstream in
                    upstream.map { [1, UInt8(truncatingIfNeeded: $0)] as Bytes }
                        .mapError { _ in SystemError(call: "read", code: EIO) }
                        .frames(lengthBytes: 1)
                },
                .writer("write(to:)", "/dev/null"),
                .writer("write(to:) where there is no room", "/dev/full"),
            ])
    }

    /// The same candidate with few scripts, because the kernel takes time to start or close it.
    private func inFewScripts() -> Candidate {
        func few(_ effort: Effort) -> Effort {
            var effort = effort
            effort.systematicScripts = min(effort.systematicScripts, 60)
            effort.randomScripts = min(effort.randomScripts, 5)
            return effort
        }
        return Candidate(
            name: name, type: type, capabilities: capabilities, operation: operation, verify: { verify(few($0)) })
    }

    /// A writer that writes immediately.
    private static func writer(_ name: String, _ path: String) -> Candidate {
        Candidate(
            name: name, type: WritingSink<SystemError>.self, capabilities: [],
            verify: { _ in
                HeadgateVerification.verify(
                    subscriber: WritingSink<SystemError>(
                        on: .immediate, bufferSize: 2,
                        open: { () throws(SystemError) in
                            DescriptorDestination(try SystemCalls.live.open(path, O_WRONLY))
                        }, onEnd: { _ in }),
                    values: ["a", "b", "c", "d"], failure: SystemError(call: "read", code: EIO))
            })
    }
}

/// A folder with a file and a listener; removed when the process ends.
private final class Room: Sendable {
    let path: String
    let file: String
    let lines: String
    let host: SocketAddress
    private let hosting = Mutex<AnyCancellable?>(nil)

    init() {
        var template = Array("/tmp/headgate-conformance-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
        file = "\(path)/file"
        host = .unix(path: "\(path)/host")
        lines = "\(path)/lines"
        for (path, text) in [(file, "onetwothree"), (lines, "one\ntwo\nthree\n")] {
            if let file = fopen(path, "w") {
                fputs(text, file)
                fclose(file)
            }
        }
        let listener = Listener(path: "\(path)/host")
        _ = try? listener.bind()
        hosting.withLock { $0 = listener.sink(receiveCompletion: { _ in }, receiveValue: { $0.reset() }) }
    }

    deinit {
        hosting.withLock { $0.take() }?.cancel()
        unlink(file)
        unlink(lines)
        rmdir(path)
    }

    /// A connection whose other side has sent a text and closed.
    static func connection(sending text: String) -> Connection {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_NONBLOCK, 0, &ends)
        _ = Glibc.write(ends[1], text, text.utf8.count)
        close(ends[1])
        return Connection(
            Descriptor(owning: ends[0], path: "pair"), local: .unix(path: ""), remote: .unix(path: "pair"),
            calls: .live)
    }
}
