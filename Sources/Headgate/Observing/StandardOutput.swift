/// The stream that `print` writes to by default.
struct StandardOutput: TextOutputStream {
    mutating func write(_ string: String) { Swift.print(string, terminator: "") }
}

extension TextOutputStream {
    /// Writes a line, as `print(_:to:)` does: its text, and then its end.
    mutating func writeLine(_ line: String) { Swift.print(line, to: &self) }
}
