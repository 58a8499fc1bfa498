import Headgate

/// Traps where nothing could be read.
func checkChunkSize(_ chunkSize: Int) {
    if chunkSize < 1 {
        programmerError(
            rule: "A chunk has room for one byte at least.", found: "a chunk size of \(chunkSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}

/// Traps where nothing could wait to be written.
func checkBufferSize(_ bufferSize: Int) {
    if bufferSize < 1 {
        programmerError(
            rule: "A buffer has room for one byte at least.", found: "a buffer size of \(bufferSize)",
            remedy: "Leave the default of 64 KiB.")
    }
}
