import Dispatch

/// How long a writer waits for a reader that takes nothing.
///
/// ```swift no-run
/// File("page.html").bytes().write(to: connection, stallLimit: StallLimit(.seconds(30))) { print($0) }
/// // failed(write 127.0.0.1:40412: Connection timed out, bytes: 212992)
/// ```
public struct StallLimit: Sendable {
    let time: Duration

    let alarm: Alarm

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - time: The maximum time in which nothing is written although something waits, or, over TCP, in which the
    ///     other side acknowledges nothing of what is under way. A negative one traps.
    ///   - scheduler: The clock that measures it.
    public init(_ time: Duration, scheduler: some Scheduler & Sendable = DispatchQueue.global()) {
        require(
            time >= .zero, rule: "The limit of a stall is at least zero.", found: "\(time)",
            remedy: "Pass nil to wait without a limit.")
        self.time = time
        alarm = Alarm(scheduler)
    }
}
