@preconcurrency import Glibc
import HeadgateSystem

/// A line on a terminal that is drawn over; nothing if standard error is a pipe or a file.
public struct StatusLine: Sendable {
    /// Whether standard error is a terminal.
    public let isShown = isatty(STDERR_FILENO) == 1

    /// Creates a line of which nothing is drawn yet.
    public init() {}

    /// A line, if standard output leads to a terminal as well as standard error does.
    public static var ifAllIsPrintedThere: StatusLine? {
        let line = StatusLine()
        return line.isShown && isatty(STDOUT_FILENO) == 1 ? line : nil
    }

    /// Draws the line, as much of it as fits.
    public func show(_ text: String) {
        if !isShown { return }
        // A line that wraps could not be drawn over.
        fputs("\r\(text.prefix(columns(of: STDERR_FILENO) - 1))\u{1B}[K", stderr)
    }

    /// Removes the line, before something else is printed.
    public func clear() {
        if isShown { fputs("\r\u{1B}[K", stderr) }
    }
}

/// How many characters fit a line of a terminal.
private func columns(of terminal: Int32) -> Int {
    var size = winsize()
    return ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
}

extension Flow {
    /// Prints the table of the stages; on a terminal, only the columns that fit.
    public func printTable() {
        let lines = table().split(separator: "\n")
        var end = Int.max
        if isatty(STDOUT_FILENO) == 1, lines.count > 1, lines[1].count > columns(of: STDOUT_FILENO) {
            // Columns are two blanks apart, and end below the ends of their headings.
            let widths = lines[1].matches(of: /\S(?=  |$)/).map { lines[1][..<$0.range.upperBound].count }
            end = widths.last { $0 <= columns(of: STDOUT_FILENO) } ?? end
        }
        for line in lines { print(line == lines[0] ? line : line.prefix(end)) }
    }
}

extension File {
    /// Where a program that prints nothing while it runs shows a flow: standard error; if that is a terminal, by the name under which it
    /// is drawn on even though standard output leads there, too.
    public static var flowDisplay: File {
        let terminal = "/dev/tty"
        return isatty(STDERR_FILENO) == 1 && access(terminal, W_OK) == 0 ? File(terminal) : .standardError
    }
}
