/// Traps if no byte could be read or buffered.
///
/// - Parameter name: What has that size: a chunk or a buffer.
func checkSize(_ size: Int, ofA name: String) {
    require(
        size >= 1, rule: "A \(name) has room for at least one byte.", found: "a \(name) size of \(size)",
        remedy: "Leave the default of 64 KiB.")
}

/// Traps if there could be none.
///
/// - Parameter name: What has at most that length: a line or a frame.
func checkMaximumLength(_ length: Int, ofA name: String) {
    require(
        length >= 1, rule: "The maximum length of a \(name) is at least one byte.",
        found: "a maximum length of \(length)", remedy: "Leave the default of 1 MiB.")
}

/// The size of the memory for a chunk, of which only what is read is ever touched.
func capacity(ofChunk chunkSize: Int) -> Int { min(chunkSize, 1 << 26) }
