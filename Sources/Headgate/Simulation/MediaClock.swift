import Dispatch
import HeadgateCombine
import HeadgateCore
import HeadgateEngine

/// The time that a `MediaPlayer` goes by, in nanoseconds since some moment in the past.
///
/// A player asks for the present, and to be woken once at a moment. `DispatchMediaClock` is the time of the machine;
/// `VirtualMediaClock` stands still until it is told to go on.
public protocol MediaClock: Sendable {
    /// The present moment. It never goes back.
    var now: Int { get }

    /// Runs a closure once, at a moment or soon after it, and never before this returns.
    ///
    /// - Returns: What calls it off, also by being let go of.
    func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

/// The time of the machine, counted since it was started.
public struct DispatchMediaClock: MediaClock {
    private let queue: DispatchQueue

    /// Makes a clock.
    ///
    /// - Parameter queue: Where the player is woken; a serial queue of its own if there is none.
    public init(queue: DispatchQueue? = nil) {
        self.queue = queue ?? DispatchQueue(label: "DispatchMediaClock")
    }

    /// The present moment.
    public var now: Int { Int(clamping: DispatchTime.now().uptimeNanoseconds) }

    /// Runs a closure once, at a moment or soon after it, on the queue.
    public func schedule(at moment: Int, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
        let time = DispatchTime(uptimeNanoseconds: UInt64(max(1, moment)))
        return queue.schedule(after: .init(time), interval: .nanoseconds(.max), action)
    }
}
