/// Cuts a stream of chunks into pieces: lines or frames.
///
/// Belongs to one conduit, which uses it on one thread at a time.
protocol Splitter: AnyObject {
    /// Whether nothing is left of what came in.
    var isEmpty: Bool { get }

    /// Takes a chunk in, after the last one has been used up.
    func take(_ chunk: Bytes)

    /// The next piece, if what came in has a whole one.
    func next() throws(SystemError) -> Bytes?

    /// What is left at the end, if that is a piece.
    func finish() throws(SystemError) -> Bytes?
}
