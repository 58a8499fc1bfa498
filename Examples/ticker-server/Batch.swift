import HeadgateSystem

/// The messages of a few milliseconds, each a line of a number and a price, created once for all clients.
struct Batch: Sendable {
    /// The number of the first message.
    var first = 0
    var count = 0
    var bytes = Bytes()
    /// The last message.
    var last = Bytes()

    /// The messages after these.
    func next(_ count: Int) -> Batch {
        var text = ""
        var start = 0
        let first = self.first + self.count
        for number in first..<(first + count) {
            start = text.utf8.count
            // A price that goes up and down.
            let cents = 10_000 + abs(number % 400 - 200)
            text += "\(number) \(cents / 100).\(cents % 100 / 10)\(cents % 10)\n"
        }
        let bytes = Bytes(text)
        return Batch(first: first, count: count, bytes: bytes, last: bytes[(bytes.startIndex + start)...])
    }
}

/// What happens to messages for which a client has no room.
enum Policy: String, Sendable {
    /// The oldest are dropped.
    case oldest
    /// All but the latest are dropped.
    case latest
    /// None is dropped: the client is disconnected.
    case disconnect
}
