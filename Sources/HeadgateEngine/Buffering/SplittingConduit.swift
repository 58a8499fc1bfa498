import HeadgateCore

/// Splits a stream of chunks into pieces, such as lines.
///
/// Belongs to one conduit, which uses it on one thread at a time.
@usableFromInline package protocol ChunkSplitter<Chunk, Piece, Failure> {
    associatedtype Chunk

    /// What is delivered.
    associatedtype Piece

    associatedtype Failure: Error

    /// Whether nothing is left of the chunks.
    var isEmpty: Bool { get }

    /// Takes a chunk, after the previous one has been used up.
    func take(_ chunk: Chunk)

    /// Passes complete pieces to a closure until there are no more or no more are wanted.
    ///
    /// A loop and not one call per piece, so that state which is the same for all pieces is read once.
    ///
    /// - Parameter body: Takes a piece; returns whether another one is wanted.
    func forEachPiece(_ body: (Piece) -> Bool) throws(Failure)

    /// The remaining piece at the end, if there is one.
    func finish() throws(Failure) -> Piece?
}

/// Serves one subscriber with the pieces of upstream's chunks, and requests a chunk only when the previous one is used
/// up.
@usableFromInline
package final class SplittingConduit<Splitter: ChunkSplitter>: JoiningConduit<Splitter.Piece, Splitter.Failure>,
    Buffering
{
    @usableFromInline package typealias Input = Splitter.Chunk

    @usableFromInline package typealias Output = Splitter.Piece

    @usableFromInline package typealias Failure = Splitter.Failure

    @usableFromInline package let upstream = Upstream()

    // Confined to the drain's owner.
    @exclusivity(unchecked) @usableFromInline package var ending: Subscribers.Completion<Failure>?

    @exclusivity(unchecked) @usableFromInline var splitter: Splitter?

    /// Chunks that upstream has sent without demand.
    @exclusivity(unchecked) @usableFromInline var chunks = Queue<Input>()

    @inlinable package init(
        name: StaticString, _ splitter: Splitter, _ downstream: AnySubscriber<Output, Failure>
    ) {
        self.splitter = splitter
        super.init(name: name, downstream, handle: SplittingConduit.serving)
    }

    @inlinable package var isEmpty: Bool { chunks.isEmpty && splitter?.isEmpty ?? true }

    @inlinable package func finishIfDone() { serve() }

    /// Takes a chunk and delivers its pieces.
    ///
    /// - Returns: The demand to add upstream.
    @inlinable package func take(_ input: Input) -> Subscribers.Demand {
        if isOver || ending != nil { return .none }
        upstream.isRequested = false
        if isEmpty || outstanding.current > .none { splitter?.take(input) } else { keep(input) }
        return advance() ? .max(1) : .none
    }

    @inlinable func keep(_ chunk: Input) {
        chunks.append(chunk)
        note(waiting: chunks.count)
    }

    @inlinable package func serve() {
        if !isOver, advance() { request(.max(1), from: upstream) }
    }

    /// Delivers as many pieces as are requested, and the completion after the last one.
    ///
    /// - Returns: Whether the caller has to request another chunk.
    @inlinable func advance() -> Bool {
        guard let splitter else { return false }
        do throws(Failure) {
            while outstanding.current > .none {
                try splitter.forEachPiece { piece in
                    guard outstanding.takeOne() else { return false }
                    _ = deliver(piece)
                    return outstanding.current > .none
                }
                // The splitter is used up, or there is no demand.
                if outstanding.current == .none { break }
                if let chunk = chunks.popFirst() {
                    splitter.take(chunk)
                    note(waiting: chunks.count)
                    continue
                }
                switch ending {
                case nil:
                    if upstream.isRequested || upstream.subscription == nil { return false }
                    upstream.isRequested = true
                    return true
                case .failure(let failure):
                    throw failure
                case .finished:
                    guard let piece = try splitter.finish() else {
                        finish(.finished)
                        return false
                    }
                    if outstanding.takeOne() { _ = deliver(piece) }
                }
            }
        } catch {
            finish(.failure(error))
            return false
        }
        if let ending, isEmpty { finish(ending) }
        return false
    }

    @usableFromInline package override func releaseValues() {
        splitter = nil
        chunks = Queue()
    }
}
