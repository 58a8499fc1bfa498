import Glibc

/// A worker as a programmer would write it by hand: a raw socket, a loop that reads 100 entries, acknowledges them, and
/// waits for each reply.
struct HandWorker {
    private let number: Int32
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 20)

    init(socket path: String) {
        number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
        let isOpen = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if !isOpen { perror(path) }
    }

    func run(_ count: Int) {
        let group = "h\(getpid())"
        makeRequest(command(["XGROUP", "CREATE", "bench", group, "0"])) { _ in }
        let reading = command(["XREADGROUP", "GROUP", group, "c", "COUNT", "100", "STREAMS", "bench", ">"])
        var done = 0
        while done < count {
            var acknowledgement = ""
            var ids = 0
            makeRequest(reading) { reply in
                // In an answer to this command, only identifiers contain a hyphen.
                for line in reply.split(separator: UInt8(ascii: "\n")) where line.contains(UInt8(ascii: "-")) {
                    let id = line.dropLast()
                    acknowledgement += "$\(id.count)\r\n"
                    acknowledgement += String(decoding: id, as: UTF8.self)
                    acknowledgement += "\r\n"
                    ids += 1
                }
            }
            if ids == 0 { return print("\(done) of \(count)") }
            let head = command(["XACK", "bench", group])
            let all = "*\(ids + 3)\r\n" + head.dropFirst("*3\r\n".count) + acknowledgement
            makeRequest(all) { _ in }
            done += ids
        }
    }

    private func command(_ words: [String]) -> String {
        "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }

    /// Sends a command, and reads until the reply is complete.
    private func makeRequest(_ command: String, _ take: (UnsafeBufferPointer<UInt8>) -> Void) {
        var command = command
        command.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count { sent += max(0, write(number, bytes.baseAddress! + sent, bytes.count - sent)) }
        }
        var scan = ReplyScan()
        var length = 0
        while !scan.isComplete {
            let count = read(number, buffer + length, (1 << 20) - length)
            if count <= 0 { return perror("read") }
            length += count
            scan.resume(UnsafeBufferPointer(start: buffer, count: length))
        }
        take(UnsafeBufferPointer(start: buffer, count: length))
    }
}

/// Finds where a reply of the older protocol ends.
private struct ReplyScan {
    private var place = 0
    private var missing = 1
    var isComplete: Bool { missing == 0 }

    mutating func resume(_ bytes: UnsafeBufferPointer<UInt8>) {
        while missing > 0 {
            var end = place
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            if end == bytes.count { return }
            var number = 0
            for index in (place + 1)..<(end - 1) where bytes[index] >= UInt8(ascii: "0") {
                number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            }
            let isNull = bytes[place + 1] == UInt8(ascii: "-")
            switch bytes[place] {
            case UInt8(ascii: "*"): missing += isNull ? 0 : number
            case UInt8(ascii: "$") where !isNull:
                if end + 1 + number + 2 > bytes.count { return }
                end += number + 2
            default: break
            }
            missing -= 1
            place = end + 1
        }
    }
}
