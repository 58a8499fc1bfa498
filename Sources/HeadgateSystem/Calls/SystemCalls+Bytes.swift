extension SystemCalls {
    /// Reads what is available, up to a number of bytes; none at the end, and `nil` if the call would block.
    func read(_ descriptor: Descriptor, upTo count: Int) throws(SystemError) -> Bytes? {
        try bytes(upTo: count) { buffer throws(SystemError) in try read(descriptor, into: buffer) }
    }

    /// The bytes that a call has put into new memory; `nil` if it would block.
    func bytes(
        upTo capacity: Int, _ read: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int?
    ) throws(SystemError) -> Bytes? {
        var isReady = true
        let bytes = try Bytes(capacity: capacity) { buffer throws(SystemError) in
            let count = try read(buffer)
            isReady = count != nil
            return count ?? 0
        }
        return isReady ? bytes : nil
    }

    /// Reads as many bytes at an offset, unless the file ends before: a call may return fewer than there are.
    package func read(_ descriptor: Descriptor, at offset: Int, count: Int) throws(SystemError) -> Bytes {
        try Bytes(capacity: count) { buffer throws(SystemError) in
            var done = 0
            while done < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<count])
                let more = try read(descriptor, at: offset + done, into: rest) ?? 0
                if more == 0 { break }
                done += more
            }
            return done
        }
    }
}
