import Headgate

/// Traps if no byte could be read.
func checkChunkSize(_ chunkSize: Int) {
    if chunkSize < 1 {
        programmerError(
            rule: "A chunk has room for at least one byte.", found: "a chunk size of \(chunkSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}

/// The size of the memory for a chunk, of which only what is read is ever touched.
func capacity(ofChunk chunkSize: Int) -> Int { min(chunkSize, 1 << 26) }

/// Traps if no byte could be buffered.
func checkBufferSize(_ bufferSize: Int) {
    if bufferSize < 1 {
        programmerError(
            rule: "A buffer has room for at least one byte.", found: "a buffer size of \(bufferSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}
