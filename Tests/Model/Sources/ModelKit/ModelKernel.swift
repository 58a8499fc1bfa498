public import ModelCore

/// Descriptors, and sets in which a thread waits for their events, as `epoll` has them: a system call is one step.
public enum ModelKernel {
    /// A thread to start.
    public final class Start {
        let body: () -> Void

        public init(_ body: @escaping () -> Void) { self.body = body }

        public func toOpaque() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

        public static func begin(_ start: UnsafeMutableRawPointer?) {
            Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
        }
    }

    private struct Watch {
        let descriptor: Int32
        let set: Int32
        var events: UInt32
        let data: UInt64
        let isOnce: Bool
    }

    private struct State {
        var watches: [Watch] = []
        /// What has happened at each descriptor.
        var ready: [Int32: UInt32] = [:]
        var sets: Int32 = 0
    }

    private static let state = ModelMutex(State())

    private static let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)

    public static func createSet() -> Int32 {
        state.withLock { state in
            state.sets += 1
            return state.sets
        }
    }

    public static func arm(_ descriptor: Int32, in set: Int32, events: UInt32, data: UInt64, isOnce: Bool) {
        state.withLock { state in
            state.watches.removeAll { $0.descriptor == descriptor && $0.set == set }
            state.watches.append(Watch(descriptor: descriptor, set: set, events: events, data: data, isOnce: isOnce))
        }
        _ = model_unpark(keys + Int(set), 1)
    }

    public static func remove(_ descriptor: Int32, from set: Int32) {
        state.withLock { $0.watches.removeAll { $0.descriptor == descriptor && $0.set == set } }
    }

    /// Events happen at a descriptor, and last.
    public static func happen(_ events: UInt32, at descriptor: Int32) {
        let sets = state.withLock { state in
            state.ready[descriptor, default: 0] |= events
            return state.watches.filter { $0.descriptor == descriptor }.map(\.set)
        }
        for set in sets { _ = model_unpark(keys + Int(set), 1) }
    }

    /// Nothing has happened at a descriptor any more, because it was read or closed.
    public static func close(_ descriptor: Int32) {
        state.withLock { state in
            state.ready[descriptor] = nil
            state.watches.removeAll { $0.descriptor == descriptor }
        }
    }

    /// Waits for the next event of a set.
    public static func next(of set: Int32) -> (events: UInt32, data: UInt64) {
        while true {
            let found = state.withLock { state -> (events: UInt32, data: UInt64)? in
                for (place, watch) in state.watches.enumerated() where watch.set == set {
                    let events = watch.events & (state.ready[watch.descriptor] ?? 0)
                    if events == 0 { continue }
                    // Those of the other kind report each event once.
                    if watch.isOnce { state.watches[place].events = 0 } else { state.ready[watch.descriptor] = nil }
                    return (events, watch.data)
                }
                return nil
            }
            if let found { return found }
            _ = model_park(keys + Int(set), 0)
        }
    }
}
