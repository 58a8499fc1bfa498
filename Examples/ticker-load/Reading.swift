import HeadgateSystem

/// What one reader has received.
struct Reading: Sendable {
    /// The number of the first message and of the last.
    var first: Int?
    var last: Int?
    var bytes = 0
    /// Whether a number was not greater than the one before.
    var isOutOfOrder = false
    /// Whether the server has sent its farewell.
    var gotFarewell = false
    // The beginning of an incomplete line.
    private var rest: [UInt8] = []

    /// The number of messages the server has published since the first one received.
    var span: Int { if let first, let last { last - first + 1 } else { 0 } }

    /// Records a chunk: reads the first line of the stream and the last one of every chunk.
    mutating func take(_ chunk: Bytes) {
        bytes += chunk.count
        let lineFeed = UInt8(ascii: "\n")
        guard let end = chunk.lastIndex(of: lineFeed) else { return rest += chunk }
        let start = chunk[..<end].lastIndex(of: lineFeed)
        if first == nil {
            let firstEnd = chunk.firstIndex(of: lineFeed) ?? end
            look(at: rest + chunk[..<firstEnd])
        }
        look(at: start.map { Array(chunk[($0 + 1)..<end]) } ?? rest + chunk[..<end])
        rest = Array(chunk[(end + 1)...])
    }

    private mutating func look(at line: [UInt8]) {
        if line.elementsEqual("end".utf8) {
            gotFarewell = true
            return
        }
        guard let number = Int(String(decoding: line.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) else {
            isOutOfOrder = true
            return
        }
        if let last, number < last { isOutOfOrder = true }
        if first == nil { first = number }
        last = number
    }
}
