/// Splits a stream of chunks into pieces: lines or frames.
///
/// Belongs to one conduit, which uses it on one thread at a time.
protocol Splitter: AnyObject {
    /// Whether no bytes are left.
    var isEmpty: Bool { get }

    /// Takes a chunk, after the previous one has been used up.
    func take(_ chunk: Bytes)

    /// Passes complete pieces to a closure until there are no more or no more are wanted.
    ///
    /// A loop and not one call per piece, so that state which is the same for all pieces is read once.
    ///
    /// - Parameter body: Takes a piece; returns whether another one is wanted.
    func forEachPiece(_ body: (Bytes) -> Bool) throws(SystemError)

    /// The remaining piece at the end, if there is one.
    func finish() throws(SystemError) -> Bytes?

    /// Takes out what belongs to no complete piece yet, for another splitter to go on with.
    func takeRest() -> Bytes

    /// Whether no piece will follow.
    var isComplete: Bool { get }
}

extension Splitter {
    var isComplete: Bool { false }
}
