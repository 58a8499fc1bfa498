/// The terminator of a line.
public struct LineTerminators: Hashable, Sendable {
    let byte: UInt8
    let dropsCarriageReturn: Bool

    /// A line feed, or a carriage return and a line feed: text from anywhere.
    public static let lineFeed = LineTerminators(byte: UInt8(ascii: "\n"), dropsCarriageReturn: true)

    /// A line feed and nothing else; a carriage return before it belongs to the line.
    public static let lineFeedOnly = LineTerminators(byte: UInt8(ascii: "\n"), dropsCarriageReturn: false)

    /// A zero byte, as `find -print0` writes after each name.
    public static let zero = LineTerminators(byte: 0, dropsCarriageReturn: false)

    /// A custom byte.
    public static func byte(_ byte: UInt8) -> LineTerminators {
        LineTerminators(byte: byte, dropsCarriageReturn: false)
    }
}

/// What happens to a line that is longer than the limit.
public enum LongLines: Hashable, Sendable {
    /// The stream fails with the code `EMSGSIZE`.
    case fail
    /// Its beginning is published, up to the limit; the rest is dropped.
    case cut
    /// It is dropped.
    case skip
}

/// What happens to a last line without a terminator.
///
/// It may be complete, as in a file that was written by hand, or the first half of a line whose writer was interrupted.
public enum UnterminatedLine: Hashable, Sendable {
    /// It is published like the others.
    case deliver
    /// It is dropped.
    case drop
    /// The stream fails with the code `EBADMSG`.
    case fail
}

/// What happens to a line that is not UTF-8.
public enum InvalidText: Hashable, Sendable {
    /// Invalid sequences are replaced by U+FFFD.
    case repair
    /// The stream fails with the code `EILSEQ`.
    case fail
}
