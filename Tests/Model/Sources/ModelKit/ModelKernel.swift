public import ModelCore

/// Descriptors, and sets in which a thread waits for their events, as `epoll` has them: a system call is one step.
///
/// A set is a descriptor itself, which is readable while one of its own has events that have not been taken.
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

        func events(_ watch: Watch) -> UInt32 {
            let isReadable = watches.contains { $0.set == watch.descriptor && events($0) != 0 }
            return watch.events & ((ready[watch.descriptor] ?? 0) | (isReadable ? ModelKernel.readable : 0))
        }

        /// The sets that contain a descriptor, and those that contain these.
        func sets(of descriptor: Int32) -> [Int32] {
            watches.filter { $0.descriptor == descriptor }.flatMap { [$0.set] + sets(of: $0.set) }
        }

        mutating func takeEvent(of set: Int32) -> (events: UInt32, data: UInt64)? {
            for (place, watch) in watches.enumerated() where watch.set == set {
                let events = events(watch)
                if events == 0 { continue }
                // Those of the other kind report each event once.
                if watch.isOnce { watches[place].events = 0 } else { ready[watch.descriptor] = nil }
                return (events, watch.data)
            }
            return nil
        }
    }

    private static let readable: UInt32 = 1

    /// The number before that of the first set: no scenario's descriptor has a higher one.
    private static let base: Int32 = 100

    private static let state = ModelMutex(State())

    private static let keys = UnsafeMutablePointer<UInt8>.allocate(capacity: 16)

    public static func createSet() -> Int32 {
        state.withLock { state in
            state.sets += 1
            return base + state.sets
        }
    }

    public static func arm(_ descriptor: Int32, in set: Int32, events: UInt32, data: UInt64, isOnce: Bool) {
        let sets = state.withLock { state in
            state.watches.removeAll { $0.descriptor == descriptor && $0.set == set }
            state.watches.append(Watch(descriptor: descriptor, set: set, events: events, data: data, isOnce: isOnce))
            return state.sets(of: descriptor)
        }
        wake(sets)
    }

    public static func remove(_ descriptor: Int32, from set: Int32) {
        state.withLock { $0.watches.removeAll { $0.descriptor == descriptor && $0.set == set } }
    }

    /// Events happen at a descriptor, and last.
    public static func happen(_ events: UInt32, at descriptor: Int32) {
        let sets = state.withLock { state in
            state.ready[descriptor, default: 0] |= events
            return state.sets(of: descriptor)
        }
        wake(sets)
    }

    private static func wake(_ sets: [Int32]) {
        for set in sets { _ = model_unpark(keys + Int(set - base), 1) }
    }

    /// Nothing has happened at a descriptor any more, because it was read or closed.
    public static func close(_ descriptor: Int32) {
        state.withLock { state in
            state.ready[descriptor] = nil
            state.watches.removeAll { $0.descriptor == descriptor }
        }
    }

    /// Takes the next event of a set, if there is one.
    public static func takeEvent(of set: Int32) -> (events: UInt32, data: UInt64)? {
        state.withLock { $0.takeEvent(of: set) }
    }

    /// Waits for the next event of a set.
    public static func next(of set: Int32) -> (events: UInt32, data: UInt64) {
        while true {
            if let event = takeEvent(of: set) { return event }
            _ = model_park(keys + Int(set - base), 0)
        }
    }
}
