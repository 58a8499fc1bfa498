import CHeadgateSystem
@preconcurrency import Dispatch
import ModelCore
import ModelKit

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// In HeadgateSystem, these come before the system's own.

func epoll_create1(_ flags: Int32) -> Int32 { ModelKernel.createSet() }

@discardableResult func epoll_ctl(
    _ set: Int32, _ operation: Int32, _ descriptor: Int32, _ event: UnsafeMutablePointer<epoll_event>?
) -> Int32 {
    if operation == EPOLL_CTL_DEL {
        ModelKernel.remove(descriptor, from: set)
    } else {
        let events = event!.pointee.events
        ModelKernel.arm(
            descriptor, in: set, events: events, data: event!.pointee.data.u64,
            isOnce: events & EPOLLONESHOT.rawValue != 0)
    }
    return 0
}

/// Takes one event; a thread that waits for events lives as long as the process.
func epoll_wait(_ set: Int32, _ events: UnsafeMutablePointer<epoll_event>, _ count: Int32, _ timeout: Int32) -> Int32 {
    guard let event = timeout == 0 ? ModelKernel.takeEvent(of: set) : ModelKernel.next(of: set) else { return 0 }
    events.pointee.events = event.events
    events.pointee.data.u64 = event.data
    return 1
}

func sysconf(_ name: Int32) -> Int { 1 }

func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    let start = ModelKernel.Start { _ = body(argument) }
    model_spawn({ ModelKernel.Start.begin($0) }, start.toOpaque())
    return 0
}

extension DispatchQueue {
    /// Jobs are performed by a thread of the scenario; the library's own loops have threads that live as long as the process.
    func async(execute work: @escaping () -> Void) {
        if label.hasPrefix("headgate.poller") || label == "headgate.signals" {
            model_spawn_for_ever({ ModelKernel.Start.begin($0) }, ModelKernel.Start(work).toOpaque())
        } else {
            ModelJobs.dispatch.add(work)
        }
    }

    func asyncAfter(deadline: DispatchTime, execute work: @escaping () -> Void) { ModelJobs.dispatch.add(work) }
}

final class DispatchSemaphore: Sendable {
    private let count: ModelMutex<Int>

    init(value: Int) { count = ModelMutex(value) }

    private var key: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    private func take() -> Bool {
        count.withLock { count in
            if count > 0 { count -= 1; return true } else { return false }
        }
    }

    func signal() {
        count.withLock { $0 += 1 }
        _ = model_unpark(key, 1)
    }

    func wait() { while !take() { _ = model_park(key, 0) } }

    func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        while !take() { if model_park(key, 1) == 0 { return take() ? .success : .timedOut } }
        return .success
    }
}
