import HeadgateLibC

/// Splits chunks into frames, each followed by a delimiter.
final class DelimiterSplitter: Splitter {
    private let delimiter: [UInt8]
    private let maximumLength: Int

    init(delimiter: [UInt8], maximumLength: Int) {
        self.delimiter = delimiter
        self.maximumLength = maximumLength
    }

    override func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError) {
        var searched = position
        while let last = chunk.firstIndex(of: delimiter[delimiter.count - 1], from: searched) {
            searched = last + 1
            guard endsWithDelimiter(at: searched) else { continue }
            let frame = takePiece(upTo: searched).dropLast(delimiter.count)
            try check(frame.count)
            if !body(frame) { return }
        }
        // The rest may end with a part of the delimiter.
        try check(count - delimiter.count + 1)
        keepRest()
    }

    override func finish() throws(SystemError) -> Bytes? {
        if isEmpty { return nil }
        let frame = takeRest()
        try check(frame.count)
        return frame
    }

    private func endsWithDelimiter(at end: Int) -> Bool {
        var place = end
        var earlier = beginning.count
        for byte in delimiter.reversed() {
            if place > position {
                place -= 1
                if chunk[place] != byte { return false }
            } else {
                earlier -= 1
                if earlier < 0 || beginning[earlier] != byte { return false }
            }
        }
        return true
    }

    private func check(_ length: Int) throws(SystemError) {
        if length > maximumLength {
            throw SystemError(call: "frames", code: EMSGSIZE, subject: "(more than \(maximumLength) bytes)")
        }
    }
}
