import CHeadgateSystem
import Synchronization

extension Connection {
    /// How many of the bytes that were written the other side has taken: if it grows, the other side is alive.
    ///
    /// Over a Unix socket, what has not been taken counts for more than it is, so that it may fall with a write.
    package var takenBytes: Int {
        let unsent = socket.descriptor.map { max(0, Int(headgate_count_unsent_bytes($0.number))) } ?? 0
        return socket.sent.load(ordering: .relaxed) - unsent
    }
}
