import CHeadgateSystem
import Synchronization

extension Connection {
    /// How many of the bytes that were written the other side has taken: if it grows, the other side is alive.
    ///
    /// Over a Unix socket, what has not been taken counts for more than it is, so that it may fall with a write.
    /// Elsewhere than on Linux, what was written.
    package var takenBytes: Int {
        #if os(Linux)
            let unsent = socket.descriptor.map { max(0, Int(headgate_count_unsent_bytes($0.number))) } ?? 0
        #else
            let unsent = 0
        #endif
        return socket.sent.load(ordering: .relaxed) - unsent
    }
}
