/// Writes strings in the protocol of the server into memory that has room for them.
struct CommandWriter {
    private let memory: UnsafeMutablePointer<UInt8>

    /// How many bytes have been written.
    private(set) var count = 0

    /// The milliseconds of the last identifier, and where their digits are: those of one command are often the same.
    private var lastMilliseconds: UInt64?
    private var lastPlace = 0
    private var lastLength = 0

    /// - Parameter memory: Memory with room for everything that is written.
    init(_ memory: UnsafeMutablePointer<UInt8>) { self.memory = memory }

    /// The room that a number takes at most, with its mark and terminator.
    static let roomForNumber = 23

    /// The room that an identifier takes at most.
    static let roomForID = roomForNumber + 43

    /// The room that a string takes at most.
    static func room(for string: Bytes) -> Int { string.count + (string.count < 10 ? 6 : roomForNumber + 2) }

    /// Writes a mark and the number after it.
    mutating func put(_ mark: UInt8, _ number: Int) {
        memory[count] = mark
        count += 1
        if number < 10 {
            memory[count] = 0x30 &+ UInt8(truncatingIfNeeded: number)
            count += 1
        } else if number < 100 {
            // Most lengths, and those of all identifiers.
            let tens = UInt32(truncatingIfNeeded: number) / 10
            memory[count] = 0x30 &+ UInt8(truncatingIfNeeded: tens)
            memory[count + 1] = 0x30 &+ UInt8(truncatingIfNeeded: UInt32(truncatingIfNeeded: number) &- tens &* 10)
            count += 2
        } else {
            let end = count + Self.roomForNumber - 3
            move(from: writeDigits(UInt64(number), before: end), to: end)
        }
        end()
    }

    mutating func put(_ string: Bytes) {
        put(UInt8(ascii: "$"), string.count)
        putPart(string)
        end()
    }

    mutating func put(_ id: EntryID) {
        // At the end of the room for it: only when it is written is the length known.
        let end = count + Self.roomForID - 2
        let (start, dash) = write(id, before: end)
        put(UInt8(ascii: "$"), end - start)
        (lastMilliseconds, lastPlace, lastLength) = (id.milliseconds, count, dash - start)
        move(from: start, to: end)
        self.end()
    }

    /// Writes an identifier as it is, without its length.
    mutating func putText(_ id: EntryID) {
        let end = count + Self.roomForID
        move(from: write(id, before: end).start, to: end)
    }

    /// Writes an identifier that ends at a place, from the last digit to the first.
    ///
    /// - Returns: Where it begins, and where its dash is.
    @inline(__always) private func write(_ id: EntryID, before end: Int) -> (start: Int, dash: Int) {
        let dash = writeDigits(id.sequence, before: end) - 1
        memory[dash] = UInt8(ascii: "-")
        if id.milliseconds != lastMilliseconds { return (writeDigits(id.milliseconds, before: dash), dash) }
        let start = dash - lastLength
        UnsafeMutableRawPointer(memory + start).copyMemory(from: memory + lastPlace, byteCount: lastLength)
        return (start, dash)
    }

    /// Writes what is in the protocol of the server already.
    mutating func putPart(_ part: Bytes) {
        part.withUnsafeBytes { part in
            guard let start = part.baseAddress else { return }
            UnsafeMutableRawPointer(memory + count).copyMemory(from: start, byteCount: part.count)
        }
        count += part.count
    }

    private mutating func end() {
        memory[count] = 0x0D
        memory[count + 1] = 0x0A
        count += 2
    }

    /// Writes digits that end at a place.
    ///
    /// - Returns: Where they begin.
    @inline(__always) private func writeDigits(_ number: UInt64, before end: Int) -> Int {
        var place = end
        var rest = number
        // Two digits at a time.
        while rest >= 10 {
            let hundreds = rest / 100
            let pair = UInt32(truncatingIfNeeded: rest &- hundreds &* 100)
            let tens = pair / 10
            place -= 2
            memory[place] = 0x30 &+ UInt8(truncatingIfNeeded: tens)
            memory[place + 1] = 0x30 &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
            rest = hundreds
        }
        if rest > 0 || place == end {
            place -= 1
            memory[place] = 0x30 &+ UInt8(truncatingIfNeeded: rest)
        }
        return place
    }

    /// Appends what has been written further behind.
    private mutating func move(from start: Int, to end: Int) {
        UnsafeMutableRawPointer(memory + count).copyMemory(from: memory + start, byteCount: end - start)
        count += end - start
    }
}

extension Bytes {
    /// A command, or a part of one, in the protocol of the server.
    ///
    /// - Parameter room: How many bytes it takes at most.
    static func commandPart(_ room: Int, _ write: (inout CommandWriter) -> Void) -> Bytes {
        Bytes(capacity: room) { memory in
            guard let start = memory.baseAddress else { return 0 }
            var writer = CommandWriter(start.assumingMemoryBound(to: UInt8.self))
            write(&writer)
            return writer.count
        }
    }

    /// A command in the protocol of the server.
    package static func command(_ arguments: [Bytes]) -> Bytes {
        commandPart(arguments.reduce(CommandWriter.roomForNumber) { $0 + CommandWriter.room(for: $1) }) { writer in
            writer.put(UInt8(ascii: "*"), arguments.count)
            for argument in arguments { writer.put(argument) }
        }
    }
}
