/// How a stream that was written out came to its end, and how far it came.
public enum Written<Failure: Error> {
    /// Upstream finished, and everything is written.
    case finished(bytes: Int)
    /// Nobody reads any more: the other end of the pipe or connection is closed (`EPIPE`).
    case readerClosed(bytes: Int)
    /// A call failed after so many bytes were written.
    case failed(SystemError, bytes: Int)
    /// Upstream failed; what it had published before is written.
    case upstreamFailed(Failure, bytes: Int)

    /// How many bytes were written.
    public var bytes: Int {
        switch self {
        case .finished(let bytes), .readerClosed(let bytes), .failed(_, let bytes), .upstreamFailed(_, let bytes): bytes
        }
    }

    /// Whether everything upstream had to say is written.
    public var isComplete: Bool {
        if case .finished = self { true } else { false }
    }
}

extension Written: Sendable {}

extension Written: Equatable where Failure: Equatable {}

extension Written: Hashable where Failure: Hashable {}
