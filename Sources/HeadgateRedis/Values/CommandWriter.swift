/// Writes strings in the protocol of the server into memory that has room for them.
struct CommandWriter {
    private let memory: UnsafeMutablePointer<UInt8>

    /// How many bytes have been written.
    private(set) var count = 0

    /// - Parameter memory: Memory with room for everything that is written.
    init(_ memory: UnsafeMutablePointer<UInt8>) { self.memory = memory }

    /// The room that a number takes at most, with its mark and terminator.
    static let roomForNumber = 23

    /// The room that an identifier takes at most.
    static let roomForID = roomForNumber + 43

    /// The room that a string takes.
    static func room(for string: Bytes) -> Int { string.count + digits(of: UInt64(string.count)) + 5 }

    /// Writes a mark and the number after it.
    mutating func put(_ mark: UInt8, _ number: Int) {
        memory[count] = mark
        count += 1
        putDigits(UInt64(number), Self.digits(of: UInt64(number)))
        end()
    }

    mutating func put(_ string: Bytes) {
        put(UInt8(ascii: "$"), string.count)
        putPart(string)
        end()
    }

    mutating func put(_ id: EntryID) {
        let lengths = (Self.digits(of: id.milliseconds), Self.digits(of: id.sequence))
        put(UInt8(ascii: "$"), lengths.0 + 1 + lengths.1)
        putDigits(id.milliseconds, lengths.0)
        memory[count] = UInt8(ascii: "-")
        count += 1
        putDigits(id.sequence, lengths.1)
        end()
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

    @inline(__always) private static func digits(of number: UInt64) -> Int {
        var digits = 1
        var limit: UInt64 = 10
        // The largest number has 20 digits.
        while number >= limit, digits < 20 {
            digits += 1
            limit = digits < 20 ? limit &* 10 : .max
        }
        return digits
    }

    @inline(__always) private mutating func putDigits(_ number: UInt64, _ length: Int) {
        let start = memory + count
        count += length
        var rest = number
        var place = length
        while place > 0 {
            place -= 1
            let tens = rest / 10
            start[place] = 0x30 &+ UInt8(truncatingIfNeeded: rest &- tens &* 10)
            rest = tens
        }
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
