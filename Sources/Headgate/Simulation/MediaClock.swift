import Dispatch
import HeadgateEngine

/// The clock of a `MediaPlayer`, in nanoseconds since some moment in the past.
///
/// A player reads the current moment, and schedules one wake-up at a time. `DispatchMediaClock` is the machine's clock;
/// `VirtualMediaClock` stands still until it is advanced.
public protocol MediaClock: Sendable {
    /// The current moment. It never goes back.
    var now: Int { get }

    /// Runs a closure once, at a moment or soon after it, and never before this method returns.
    ///
    /// - Returns: A cancellable; cancelling or releasing it cancels the call.
    func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

/// The machine's clock, counted since the machine was started.
public struct DispatchMediaClock: MediaClock {
    private let queue: DispatchQueue

    /// Creates a clock.
    ///
    /// - Parameter queue: Where the player is woken; by default, a serial queue of its own.
    public init(queue: DispatchQueue? = nil) {
        self.queue = queue ?? DispatchQueue(label: "DispatchMediaClock")
    }

    /// The current moment.
    public var now: Int { Int(clamping: DispatchTime.now().uptimeNanoseconds) }

    /// Runs a closure once, at a moment or soon after it, on the queue.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let time = DispatchTime(uptimeNanoseconds: UInt64(max(1, moment)))
        return queue.schedule(after: .init(time), interval: .nanoseconds(.max), action)
    }
}
