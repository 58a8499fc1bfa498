/// Cuts a stream of chunks into pieces: lines or frames.
///
/// Belongs to one conduit, which uses it on one thread at a time.
protocol Splitter: AnyObject {
    /// Whether nothing is left of what came in.
    var isEmpty: Bool { get }

    /// Takes a chunk in, after the last one has been used up.
    func take(_ chunk: Bytes)

    /// Hands out the pieces of what came in, one after the other, until there is no whole one or no more is wanted.
    ///
    /// A loop and not one call a piece, so that what does not change from piece to piece is looked at once.
    ///
    /// - Parameter body: Takes a piece; answers whether another one is wanted.
    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError)

    /// What is left at the end, if that is a piece.
    func finish() throws(SystemError) -> Bytes?
}
