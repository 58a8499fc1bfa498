/// A source that is polled on a delivery queue, and waited for by a descriptor.
package protocol PolledSource: Pollable where Failure == SystemError, Place == DeliveryQueue {
    /// The descriptor that becomes readable when there is a value after `.pending`.
    var descriptor: Descriptor { get }
}

extension PolledSource {
    package func waiting(on queue: DeliveryQueue) -> PollingWait {
        Readiness(of: descriptor, for: .reading, on: queue).wait
    }
}

extension DeliveryQueue: PollingQueue {
    /// How to wait by calling what calls back once, on any thread.
    func calledBack(by start: @escaping (@escaping @Sendable () -> Void) -> Void) -> PollingWait {
        { onReady in
            // Called on the queue.
            nonisolated(unsafe) let onReady = onReady
            start { run { onReady() } }
        }
    }
}
