/// The outcome of writing a stream, with the number of bytes written.
public enum Written<Failure: Error> {
    /// Upstream finished, and everything is written.
    case finished(bytes: Int)
    /// The reading end of the pipe or connection is closed (`EPIPE`).
    case readerClosed(bytes: Int)
    /// A call failed after this many bytes were written.
    ///
    /// The code is `ETIMEDOUT` at the limit of a stall, and `ECANCELED` if a shutdown cut the stream off.
    case failed(SystemError, bytes: Int)
    /// Upstream failed. Of the values that it had published, those for which there was room are written.
    case upstreamFailed(Failure, bytes: Int)

    /// The number of bytes written.
    public var bytes: Int {
        switch self {
        case .finished(let bytes), .readerClosed(let bytes), .failed(_, let bytes), .upstreamFailed(_, let bytes): bytes
        }
    }

    /// Whether everything that upstream published is written.
    public var isComplete: Bool {
        if case .finished = self { true } else { false }
    }
}

extension Written: Sendable {}

extension Written: Equatable where Failure: Equatable {}

extension Written: Hashable where Failure: Hashable {}
