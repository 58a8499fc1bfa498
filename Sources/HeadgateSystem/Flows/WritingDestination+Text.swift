import HeadgateLibC

extension WritingDestination {
    /// Writes a text, and blocks while there is no room.
    func writeAll(_ text: String) throws(SystemError) {
        var rest = Bytes(text)
        while !rest.isEmpty {
            if let count = try write(rest) {
                rest = rest.dropFirst(count)
            } else {
                var request = pollfd(fd: descriptor.number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&request, 1, 1000)
            }
        }
    }
}
