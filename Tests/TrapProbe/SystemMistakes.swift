import HeadgateSystem

extension TrapProbe {
    /// Makes a mistake with files, programs and signals, which ends the process.
    static func makeSystemMistake(_ name: String) {
        let bytes = Empty<Bytes, SystemError>()
        switch name {
        case "chunks of nothing": _ = File("file").bytes(chunkSize: 0)
        case "bytes before the beginning": _ = File("file").bytes(range: -1..<5)
        case "followed chunks of nothing": _ = File("file").follow(from: .end, chunkSize: 0)
        case "lines of nothing": _ = bytes.lines(maximumLength: 0)
        case "lines of bytes of nothing": _ = bytes.byteLines(maximumLength: -1)
        case "frames of nothing": _ = bytes.frames(lengthBytes: 4, maximumLength: 0)
        case "frames without a length": _ = bytes.frames(lengthBytes: 9)
        case "frames without a delimiter": _ = bytes.frames(delimitedBy: Bytes())
        case "writing without a buffer": bytes.write(to: .standardOutput, bufferSize: 0) { _ in }
        case "signal that can't be caught": _ = Signals.publisher(for: .interrupt, .kill)
        case "signal of an instruction": _ = Signals.publisher(for: Signal(11))
        case "signal that is none": _ = Signals.publisher(for: Signal(0))
        case "negative grace": _ = Command("true", grace: .seconds(-1))
        case "negative grace for the output": _ = Command("true", outputGrace: .milliseconds(-1))
        case "program in chunks of nothing": _ = Command("true").events(chunkSize: 0)
        case "run of a negative length": _ = Command("true").run(maximumLength: -1)
        case "table drawn without a pause": _ = Flow("flow").live(to: .standardError, every: .zero)
        case "less than no time for a replaced file": _ = RotateWait(.seconds(-1))
        case "acknowledgement in no time": _ = SocketOptions(acknowledgementLimit: .zero)
        case "negative deadline": _ = GracefulShutdown(on: Empty<Int, Never>(), deadline: .seconds(-1))
        case "timer faster than the wall clock": _ = Publishers.wallTimer(.every(seconds: 0))
        case "time that is no time": _ = WallSchedule.daily(hour: 24)
        case "index beyond the bytes": _ = Bytes("text")[4]
        case "range beyond the bytes": _ = Bytes("text")[2..<5]
        case "room for fewer than no bytes": _ = Bytes(capacity: -1) { _ in 0 }
        case "more bytes than there is room for": _ = Bytes(capacity: 1) { _ in 2 }
        case let mistake where mistake.hasPrefix("socket: "):
            SocketMistakes.make(mistake.dropFirst("socket: ".count))
        case let mistake where mistake.hasPrefix("redis: "):
            RedisMistakes.make(mistake.dropFirst("redis: ".count))
        default: print("no such mistake")
        }
    }
}

/// What programs do whose standard streams are not those of the tests.
extension TrapProbe {
    static func copyStandardInput() async {
        let result = await File.standardInput.bytes().write(to: .standardOutput)
        if let result { await write(result, to: .standardError) }
    }

    static func askAtTheTerminal() async {
        let asking = Command(
            "/bin/sh", "-c", "printf 'who?' >/dev/tty; read x </dev/tty; echo got $x", input: .inherited,
            terminal: .shared)
        if let outcome = try? await asking.outcome() { await write(String(outcome.output), to: .standardOutput) }
    }

    private static func write(_ what: some Sendable, to file: File) async {
        _ = await Just(Bytes("\(what)\n")).write(to: file)
    }
}
