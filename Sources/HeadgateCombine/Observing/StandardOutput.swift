/// The stream that `print` writes to by default.
package struct StandardOutput: TextOutputStream {
    package init() {}

    package mutating func write(_ string: String) { Swift.print(string, terminator: "") }
}

extension TextOutputStream {
    /// Writes a line as `print(_:to:)` does: the text, then the terminator.
    package mutating func writeLine(_ line: String) { Swift.print(line, to: &self) }
}
