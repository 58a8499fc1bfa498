import HeadgateLibC
import Synchronization

/// The writing direction of a connection.
final class SocketDestination: WritingDestination {
    let descriptor: Descriptor
    private let connection: Connection
    private let keepsOpen: Bool
    private var isDone = false
    private var isGone = false

    /// Takes the writing direction of a connection, until everything is written or writing fails.
    init(_ connection: Connection, keepsOpen: Bool) throws(SystemError) {
        descriptor = try connection.begin(.writing)
        self.connection = connection
        self.keepsOpen = keepsOpen
    }

    deinit { abandon() }

    func write(_ bytes: Bytes) throws(SystemError) -> Int? {
        do throws(SystemError) {
            let count = try bytes.withUnsafeBytes { memory throws(SystemError) in
                try connection.calls.send(descriptor, memory)
            }
            if let count { connection.sent.add(count, ordering: .relaxed) }
            return count
        } catch {
            // After any other failure, the other side still waits for an end.
            isGone = error.code == EPIPE
            throw connection.outcome(of: error, in: "send")
        }
    }

    func watchReader(_ onLoss: @escaping @Sendable (SystemError) -> Void) { connection.watchLoss(onLoss) }

    // Over a Unix socket, the reader gets them only when it reads.
    var unacknowledgedCount: Int { connection.isTCP ? connection.unacknowledgedCount : 0 }

    func finish() throws(SystemError) {
        isDone = true
        defer { connection.end(.writing, isOver: !keepsOpen) }
        if !keepsOpen { try shutDown() }
    }

    private func shutDown() throws(SystemError) {
        do throws(SystemError) {
            try connection.calls.shutDownWriting(descriptor)
        } catch {
            // The other side would wait for an end that does not come.
            connection.reset()
            throw error
        }
    }

    /// Resets the connection, so that the other side does not mistake a part for the whole, unless it has gone itself.
    func abandon() {
        if isDone { return }
        isDone = true
        // The other side may have stopped reading only, and wait for an end.
        if isGone { try? shutDown() } else { connection.reset() }
        connection.end(.writing, isOver: true)
    }
}
