import Headgate

/// Traps if no byte could be read.
func checkChunkSize(_ chunkSize: Int) {
    if chunkSize < 1 {
        programmerError(
            rule: "A chunk has room for at least one byte.", found: "a chunk size of \(chunkSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}

/// Traps if no byte could be buffered.
func checkBufferSize(_ bufferSize: Int) {
    if bufferSize < 1 {
        programmerError(
            rule: "A buffer has room for at least one byte.", found: "a buffer size of \(bufferSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}
