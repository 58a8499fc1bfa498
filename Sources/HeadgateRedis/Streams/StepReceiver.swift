/// How the elements of a reply are arranged that are taken as they arrive.
enum ReplyElements {
    /// The reply is an array of them.
    case array
    /// The reply is one of `XREAD` or `XREADGROUP` on one key, and they are entries.
    case entriesOfStream

    /// How many containers there are around the elements.
    func depth(in kind: UInt8) -> Int {
        switch self {
        case .array: 1
        case .entriesOfStream: kind == UInt8(ascii: "%") ? 2 : 3
        }
    }

    /// Reads what is before the first element.
    ///
    /// - Returns: The number of elements; `nil` if it is no such reply.
    func begin(_ reader: inout RESPReader) -> Int? {
        switch self {
        case .array: reader.elements()
        case .entriesOfStream: reader.entriesOfStream()
        }
    }
}

/// Receives the reply to one step of a source: elements as they arrive, anything else as a whole.
// Threads share only what a lock guards: a loss may be reported while a part of the reply is being taken.
final class StepReceiver<Source: StreamSource>: ReplyReceiver, @unchecked Sendable {
    private struct State {
        var isTaking = false
        var isOver = false
        /// What has been reported while a part was being taken.
        var end: Outcome?
    }

    private weak let source: Source?
    private let step: Source.Step
    private let command: Bytes
    private let state = Guarded(State())

    // Confined to the queue of the connection on which the reply arrives.
    /// How many elements there are, once it is known, and how many of them have been taken.
    @exclusivity(unchecked) private var total: Int?
    @exclusivity(unchecked) private var taken = 0
    @exclusivity(unchecked) private var size = 0

    init(_ source: Source, _ step: Source.Step, _ command: Bytes) {
        self.source = source
        self.step = step
        self.command = command
    }

    func take(_ reply: Outcome, to number: Int) {
        guard let source else { return }
        if case .value(let reply) = reply, let elements = source.elements(of: step) {
            var reader = RESPReader(reply)
            guard let total = read(&reader, elements, lacking: 0, source) else {
                return source.take(.failure(source.unexpected("\(reply.value) to \(step)", command)), to: step)
            }
            return source.finish(step, total, size + reply.size)
        }
        let isLater = state.withLock { state in
            if state.isTaking { state.end = reply } else { state.isOver = true }
            return state.isTaking
        }
        if !isLater { source.take(reply, to: step) }
    }

    func takePart(of parser: inout RESPParser) {
        guard let source, let elements = source.elements(of: step),
            let lacking = parser.lacking(at: elements.depth)
        else { return }
        if let total, total - lacking <= taken { return }
        let begins = state.withLock { state in
            state.isTaking = !state.isOver
            return state.isTaking
        }
        if !begins { return }
        var isExpected = false
        parser.takePart { reader in
            size += reader.size
            isExpected = read(&reader, elements, lacking: lacking, source) != nil
            size -= reader.size
        }
        if !isExpected { state.withLock { $0.end = .failure(source.unexpected("to \(step)", command)) } }
        let end = state.withLock { state in
            state.isTaking = false
            if state.end != nil { state.isOver = true }
            return exchange(&state.end, with: nil)
        }
        if let end { source.take(end, to: step) }
    }

    /// Reads the elements that are there, but for those that are lacking.
    ///
    /// - Returns: How many there are in all; `nil` if they are none.
    private func read(
        _ reader: inout RESPReader, _ elements: ReplyElements, lacking: Int, _ source: Source
    ) -> Int? {
        guard let total = total ?? elements.begin(&reader), source.take(total - taken - lacking, &reader, step) else {
            return nil
        }
        self.total = total
        taken = total - lacking
        return total
    }
}
