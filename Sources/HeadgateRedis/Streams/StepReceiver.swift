import HeadgateCore

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
final class StepReceiver<Source: StreamSource>: ReplyReceiver {
    private struct State {
        /// How many elements there are, once it is known, and how many of them have been taken.
        var total: Int?
        var taken = 0
        var size = 0
        var isTaking = false
        var isOver = false
        /// What has been reported while a part was being taken.
        var end: Outcome?
    }

    private weak let source: Source?
    private let step: Source.Step
    private let command: Bytes
    private let state = Guarded(State())

    init(_ source: Source, _ step: Source.Step, _ command: Bytes) {
        self.source = source
        self.step = step
        self.command = command
    }

    func take(_ reply: Outcome, to number: Int) {
        guard let source else { return }
        if case .value(let reply) = reply, let elements = source.elements(of: step) {
            var reader = RESPReader(reply)
            let size = state.withLock { $0.size + reply.size }
            guard let total = read(&reader, elements, lacking: 0, source) else {
                return source.take(.failure(source.unexpected("\(reply.value) to \(step)", command)), to: step)
            }
            return source.finish(step, total, size)
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
        let begins = state.withLock { state in
            if state.isOver { return false }
            if let total = state.total, total - lacking <= state.taken { return false }
            state.isTaking = true
            return true
        }
        if !begins { return }
        var total: Int?
        parser.takePart { reader in
            let before = reader.size
            total = read(&reader, elements, lacking: lacking, source)
            let size = before - reader.size
            state.withLock { $0.size += size }
        }
        if total == nil { state.withLock { $0.end = .failure(source.unexpected("to \(step)", command)) } }
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
        let (known, taken) = state.withLock { ($0.total, $0.taken) }
        guard let total = known ?? elements.begin(&reader), source.take(total - taken - lacking, &reader, step) else {
            return nil
        }
        state.withLock { state in
            state.total = total
            state.taken = total - lacking
        }
        return total
    }
}
