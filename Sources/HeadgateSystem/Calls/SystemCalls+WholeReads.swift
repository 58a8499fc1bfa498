extension SystemCalls {
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
