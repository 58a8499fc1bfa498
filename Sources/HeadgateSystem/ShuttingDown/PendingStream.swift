/// A stream that a shutdown waits for: until its subscriber has received the completion, and until the writers
/// downstream have ended.
///
/// A completion is not the end for a writer: it has to write what it holds. Operators between the stream and its writer
/// know nothing of the shutdown, so the stream is the ``current`` one of its thread while its subscription or completion
/// is delivered, and a writer that receives that then joins it.
@usableFromInline final class PendingStream: Sendable {
    /// The stream whose subscription or completion is being delivered on this thread.
    @TaskLocal static var current: PendingStream?

    /// Subscribes as if no stream's subscription or completion were being delivered.
    @usableFromInline static func withoutCurrent(_ subscribe: () -> Void) {
        if current == nil { subscribe() } else { $current.withValue(nil, operation: subscribe) }
    }

    private let shutdown: GracefulShutdown
    private let members = Guarded(1)

    /// Begins with one member, the stream.
    init(in shutdown: GracefulShutdown) {
        self.shutdown = shutdown
        shutdown.enter()
    }

    /// Whether the deadline has passed.
    var isCutOff: Bool { shutdown.cutOff.isOff }

    /// Calls back at the deadline.
    func onCutOff(_ body: @escaping @Sendable () -> Void) -> AnyCancellable {
        shutdown.cutOff.publisher.sink { body() }
    }

    /// Adds a member.
    ///
    /// - Returns: Whether the stream has not ended yet.
    func join() -> Bool {
        members.withLock { members in
            if members > 0 { members += 1 }
            return members > 0
        }
    }

    /// Ends for one member; the last one ends the stream.
    func leave() {
        let isLast = members.withLock { members in
            members -= 1
            return members == 0
        }
        if isLast { shutdown.leave() }
    }
}
